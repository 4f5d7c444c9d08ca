-- How many further lots a search found in the tick of a match, which are not stored.
alter table alert_matches add column others integer not null default 0;
