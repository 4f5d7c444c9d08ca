-- The outlook of a lot, made with its score (src/domain/valuation/outlook.ts). All are null until the first scores of version 5.

alter table lots
  add column approximate_close_cents bigint,
  add column value_note text,
  add column verdict text,
  -- Orders lots by what is to be won: gains, then lots without a bid, then losses.
  add column profit_rank bigint;

alter table appraisals
  add column projected_close_cents bigint,
  add column close_low_cents bigint,
  add column close_high_cents bigint;

-- Projected closes as they were before the end, for /accuracy (src/infra/valuation/closeLog.ts). Without a foreign key: an entry outlives
-- its lot. Amounts in US cents.
create table closes (
  lot_id uuid not null,
  -- Before the earliest moment at which the lot could close.
  hours smallint not null,
  close_cents bigint not null,
  likely_low_cents bigint not null,
  likely_high_cents bigint not null,
  logged_at timestamptz not null default now(),
  primary key (lot_id, hours)
);

-- As in 0006, but that the auction, the year and the make are filters too, and that the whole outlook counts as a score: what was remembered
-- before a change of them is outdated.
create or replace function change_data_version_if_any() returns trigger
language plpgsql
-- The plan is made once a session, often for an update of no rows, for which the planner prefers a nested loop.
set enable_nestloop = off
as $$
declare
  other_offers boolean;
  other_scores boolean;
begin
  if not exists (select from changed) then
    return null;
  end if;
  select
    bool_or(
      (
        before.is_open, before.starts_at, before.ends_at, before.category, before.state, before.source, before.price_cents,
        before.num_bids, before.offer_kind, before.buy_now_cents is null, before.latitude, before.longitude, before.title, before.description,
        before.auction_id, before.vehicle_year, before.vehicle_make
      ) is distinct from (
        after.is_open, after.starts_at, after.ends_at, after.category, after.state, after.source, after.price_cents,
        after.num_bids, after.offer_kind, after.buy_now_cents is null, after.latitude, after.longitude, after.title, after.description,
        after.auction_id, after.vehicle_year, after.vehicle_make
      )
    ),
    bool_or(
      (
        before.flip_score, before.approximate_value_cents, before.expected_profit_cents, before.approximate_close_cents,
        before.value_note, before.verdict, before.profit_rank
      ) is distinct from (
        after.flip_score, after.approximate_value_cents, after.expected_profit_cents, after.approximate_close_cents,
        after.value_note, after.verdict, after.profit_rank
      )
    )
  into other_offers, other_scores
  from before_change before
  join changed after using (id)
  where (before.is_open and before.ends_at > now())
  or (after.is_open and after.ends_at > now());
  update data_version
  set
    version = version + 1,
    offers = offers + case when other_offers then 1 else 0 end,
    scores = scores + case when other_scores then 1 else 0 end;
  return null;
end
$$;

