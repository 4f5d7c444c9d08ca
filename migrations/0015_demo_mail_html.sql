-- What a mail program shows of a mail that a demo keeps; null for a mail of text alone.

alter table demo_mails add column html text;
