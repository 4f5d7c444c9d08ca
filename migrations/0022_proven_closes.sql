-- Closes are proven as estimates are (0011_estimates.sql, docs/guides/estimates.md).

alter table closes
  -- UTC; null for a lot whose source does not let its rows leave.
  add column day date,
  add column nonce uuid not null default gen_random_uuid();

create index closes_by_day on closes (day);

create table close_days (
  day date primary key,
  entries integer not null,
  root text not null
);
