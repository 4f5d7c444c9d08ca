-- What outdates the index of open lots: the auction, the year and the make are filters too, and the whole outlook counts as a score.

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
