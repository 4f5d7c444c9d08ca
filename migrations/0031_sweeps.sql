-- What one look at a source does not prove: that a lot is gone, or that many lots lost their bid, end or
-- title.

-- Open lots that the last whole answer of their source lacked. The next one that lacks them too closes them.
-- Why: one incomplete answer withdrew 120 of 300 lots and sent 240 webhooks;
-- `npx vitest run test/sources/brokenAnswers.test.ts` shows it.
create table missed_lots (
  lot_id uuid primary key,
  missed_at timestamptz not null,
  -- Whether the lot may have ended then, on the last day of its bidding; else it is withdrawn.
  may_have_ended boolean not null
);

-- Open lots whose values a refused load would have taken away. The next answer that says the same is taken.
create table doubted_lots (
  lot_id uuid primary key,
  source text not null,
  -- What the lot would have lost.
  says text not null
);

create index doubted_lots_by_source on doubted_lots (source);
