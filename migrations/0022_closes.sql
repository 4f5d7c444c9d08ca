-- Projected closes as they were before the end, for /accuracy (src/infra/valuation/closeLog.ts). They are proven as estimates are
-- (0011_estimates.sql, docs/guides/estimates.md).

-- Without a foreign key: an entry outlives its lot. Amounts in US cents.
create table closes (
  lot_id uuid not null,
  -- Before the earliest moment at which the lot could close.
  hours smallint not null,
  close_cents bigint not null,
  likely_low_cents bigint not null,
  likely_high_cents bigint not null,
  logged_at timestamptz not null default now(),
  -- UTC; null for a lot whose source does not let its rows leave.
  day date,
  nonce uuid not null default gen_random_uuid(),
  primary key (lot_id, hours)
);

create index closes_by_day on closes (day);

create table close_days (
  day date primary key,
  entries integer not null,
  root text not null
);
