-- What a source says of the bids, the reserve and the premium of a lot.

alter table lots
  -- Whether the source says how many bids there are; null: read by a version that did not store it.
  add column bids_known boolean,
  add column reserve_met boolean,
  -- Of the lot itself; null: that of its source.
  add column buyers_premium_percent numeric;

create or replace function lot_details(lot lots) returns text
language sql stable parallel safe
return row(
  lot.title, lot.description, lot.category, lot.item, lot.quantity, lot.vehicle_year, lot.vehicle_make, lot.vehicle_model, lot.state,
  lot.city, lot.zip, lot.condition_grade, lot.image_url, lot.source_url, lot.starts_at, lot.offer_kind, lot.bid_increment_cents,
  lot.auction_id, lot.bid_conditions, lot.reserve_met, lot.buyers_premium_percent
)::text;

-- As in 0023, but what another version of the reading no longer takes for a bid, a sale or an end is not logged.
create or replace function log_changed_lots() returns trigger
language plpgsql
-- The plan is made once a session, often for an update of no rows, for which the planner prefers a nested loop.
set enable_nestloop = off
-- Without nested loops the cost of the plan passes the bound of JIT, which then takes 2 s for each 500 lots.
-- Why: who loads 30,000 lots into an own PostgreSQL: surplus demo --lots 30000 --sales 20000, which takes 127 s more without it.
set jit = off
as $$
begin
  perform log_changes(array(
    select row(
      null, after.id, null, kind, coalesce(after.final_bid_cents, after.current_bid_cents), after.num_bids, after.ends_at,
      coalesce(
        case kind
          when 'bid' then before.current_bid_cents > coalesce(after.current_bid_cents, 0)
          when 'price' then after.buy_now_cents < before.buy_now_cents
            or (after.current_bid_cents is null and after.starting_bid_cents < before.starting_bid_cents)
        end,
        false
      ),
      case kind when 'score' then before.flip_score end,
      case kind when 'score' then before.approximate_value_cents end,
      case kind
        when 'bid' then nullif(before.price_cents, after.price_cents)
        when 'price' then coalesce(nullif(before.price_cents, after.price_cents), nullif(before.buy_now_cents, after.buy_now_cents))
      end,
      case when has_moved then before.category end,
      case when has_moved then before.state end
    )::lot_changes
    from before_change before
    join changed after using (id)
    cross join lateral (select before.reading is distinct from after.reading) as read_by (is_read_anew)
    -- Earlier readings took the opening price of a lot without bids for a bid.
    cross join lateral (
      select
        is_read_anew and before.num_bids = 0 and after.num_bids = 0
        and coalesce(before.final_bid_cents, before.current_bid_cents, 0) > 0
        and num_nonnulls(after.final_bid_cents, after.current_bid_cents) = 0
    ) as bid_by (had_none)
    cross join unnest(case
      when before.is_open and after.is_open then array[
        case
          when (before.current_bid_cents, before.num_bids) is distinct from (after.current_bid_cents, after.num_bids)
          and not had_none
          then 'bid'
        end,
        case when before.ends_at <> after.ends_at and not is_read_anew then 'end_moved' end,
        case
          when (before.starting_bid_cents, before.buy_now_cents) is distinct from (after.starting_bid_cents, after.buy_now_cents)
          and not (had_none and before.buy_now_cents is not distinct from after.buy_now_cents)
          then 'price'
        end,
        case
          when not is_read_anew and lot_details(before::lots) is distinct from lot_details(after::lots)
          then 'details'
        end,
        case
          when (before.logged_score, before.logged_value_cents, before.value_grade)
            is distinct from (after.logged_score, after.logged_value_cents, after.value_grade)
            and before.score_version in ('', after.score_version)
          then 'score'
        end
      ]
      -- It never sold, or the day of its end stood for an unknown one.
      when is_read_anew and not before.is_open and (had_none and not after.is_open or before.ends_at < '1990-01-01Z') then '{}'
      when after.is_open then array['reopened']
      -- Of a lot that has ended, only what follows an earlier change: the others were never on offer. The limit makes it a look-up.
      when before.is_open or (
        (before.outcome, before.final_bid_cents) is distinct from (after.outcome, after.final_bid_cents)
        and (select true from lot_changes earlier where earlier.lot_id = after.id limit 1)
      )
      then array[coalesce(after.outcome, 'ended')]
    end) as kind
    cross join lateral (
      select kind = 'details' and (before.category, before.state) is distinct from (after.category, after.state)
    ) as moved (has_moved)
    where kind is not null
  ));
  return null;
end
$$;
