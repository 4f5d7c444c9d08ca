-- Limits that were written down the day before the end of their lots, proven as estimates are (0011_estimates.sql, docs/guides/estimates.md), and
-- what came of them.

-- Without a foreign key: an entry outlives its lot. Rows are only ever added.
create table limits (
  lot_id uuid primary key,
  -- UTC; null for a lot whose source does not let its rows leave.
  day date,
  -- In US cents.
  limit_cents bigint not null,
  grade text not null,
  nonce uuid not null default gen_random_uuid()
);

create index limits_by_day on limits (day);

create table limit_days (
  day date primary key,
  entries integer not null,
  root text not null
);

-- The limits of open lots that are not logged yet, and the earliest moment at which their lots can close.
create view unlogged_limits as
select
  id as lot_id, source, limit_cents, value_grade as grade, ends_at,
  earliest_close(ends_at, time_zone, closes_from_hour) as closes_at
from lots
join sources using (source)
join appraisals on lot_id = id
where is_open
and duplicate_of is null
and limit_cents is not null
and not exists (select from limits where limits.lot_id = id);

-- The logged limits of lots that have closed, by the month (UTC) of the end and by grade; all months, then all of it, where these are null. Only
-- prices that a source published count. Amounts in US cents, null for fewer than 30 lots: paid with the buyer's premium; sold again under the same
-- title, on another day or in another place, and what is left of that price after 12% for selling (src/domain/price.ts).
create view settled_limits as
with closed as (
  select
    limits.lot_id, limits.limit_cents, grade, to_char(ends_at at time zone 'utc', 'YYYY-MM') as month, final_bid_cents, zip, sold_at,
    price_basis <> 'last_observed' as is_real,
    regexp_replace(lower(title), '[^a-z0-9]', '', 'g') as letters,
    round(final_bid_cents * (1 + coalesce(buyers_premium_percent, premium_percent, 0) / 100)) as paid_cents
  from limits
  join lots on lots.id = limits.lot_id
  left join sources using (source)
  where not is_open
), again as (
  select regexp_replace(lower(title), '[^a-z0-9]', '', 'g') as letters, id, final_bid_cents, zip, sold_at
  from sales
  where price_basis <> 'last_observed'
  and sold_at >= (select min(sold_at) from closed)
), resales as (
  select closed.lot_id, percentile_cont(0.5) within group (order by again.final_bid_cents) as resold_cents
  from closed
  join again using (letters)
  where again.id <> closed.lot_id
  and again.sold_at >= closed.sold_at
  and (again.sold_at::date <> closed.sold_at::date or again.zip is distinct from closed.zip)
  group by closed.lot_id
), settled as (
  select
    closed.*, resold_cents,
    coalesce(is_real and closed.final_bid_cents <= limit_cents, false) as is_under
  from closed
  left join resales using (lot_id)
), counted as (
  select
    month, grade, count(*) as closed, count(*) filter (where is_real) as with_price, count(*) filter (where is_under) as under,
    sum(paid_cents) filter (where is_under) as paid_cents,
    count(*) filter (where is_under and resold_cents is not null) as resold,
    sum(paid_cents) filter (where is_under and resold_cents is not null) as paid_of_resold_cents,
    sum(resold_cents) filter (where is_under) as resold_cents,
    sum(0.88 * resold_cents - paid_cents) filter (where is_under) as left_cents
  from settled
  group by grouping sets ((month, grade), ())
)
select
  month, grade, closed, with_price, under,
  case when under >= 30 then paid_cents::bigint end as paid_cents,
  resold,
  case when resold >= 30 then paid_of_resold_cents::bigint end as paid_of_resold_cents,
  case when resold >= 30 then resold_cents::bigint end as resold_cents,
  case when resold >= 30 then left_cents::bigint end as left_cents
from counted
where closed > 0;
