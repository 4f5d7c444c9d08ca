-- What a buyer needs of a lot beyond its bid: the step to the next bid, the auction that it is offered in, and the hours in which a source
-- that names only a day closes.

alter table lots
  add column bid_increment_cents bigint,
  add column auction_id text,
  add column auction_name text;

create index lots_by_auction on lots (auction_id) where is_open and auction_id is not null;

-- Facts of data/sources.json. Hours are local, in the zone of the source.
alter table sources
  add column closes_from_hour smallint not null default 10,
  add column closes_by_hour smallint not null default 24;

-- How exactly a source publishes an end: the last second of a day in its zone stands for the day. The zone of some sources is null or
-- "vendor". The rule for pages is src/domain/closing.ts.
create function end_precision(ends_at timestamptz, time_zone text) returns text
language sql immutable parallel safe
return case
  when not isfinite(ends_at) then null
  when time_zone like '%/%' and (ends_at at time zone time_zone)::time = '23:59:59' then 'day'
  else 'second'
end;

-- The earliest moment at which bidding can close. Clocks change at night, so the hours between two in the morning and midnight have 60 minutes.
create function earliest_close(ends_at timestamptz, time_zone text, closes_from_hour smallint) returns timestamptz
language sql immutable parallel safe
return case
  when end_precision(ends_at, time_zone) = 'day' then ends_at + interval '1 second' - make_interval(hours => 24 - closes_from_hour)
  else ends_at
end;

-- The auction, the year and the make are filters too, so searches remembered before a change of them are outdated. As in 0006 but for these.
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
      (before.flip_score, before.approximate_value_cents, before.expected_profit_cents)
      is distinct from (after.flip_score, after.approximate_value_cents, after.expected_profit_cents)
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

