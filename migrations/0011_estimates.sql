-- Estimates that were written down before the price of the lot was known (docs/guides/estimates.md). Rows are only ever added.

-- The first estimate of each lot from comparables: amounts in US cents, the day in UTC. Without a foreign key: an entry outlives its lot.
create table estimates (
  lot_id uuid primary key,
  day date not null,
  estimated_value_cents bigint not null,
  likely_low_cents bigint not null,
  likely_high_cents bigint not null,
  range_low_cents bigint not null,
  range_high_cents bigint not null,
  -- A random value, so that nobody finds the amounts of an open lot by hashing guesses.
  nonce uuid not null default gen_random_uuid()
);

create index estimates_by_day on estimates (day);

-- The Merkle root over the entries of a finished day, published as it stands here from then on.
create table estimate_days (
  day date primary key,
  entries integer not null,
  root text not null
);
