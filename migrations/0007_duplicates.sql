-- The same lot on two sources is found by what both say of it, and counted once (docs/decisions/0013-duplicates.md).

-- A day of auctions begins at 10:00 UTC, midnight in Hawaii and five or six in the morning in the East: so the afternoon of a
-- day and its last second, which stands for a day without a time, are one day on the clocks of all fifty states.
-- This function and the next two are not strict, so that Postgres inlines them: 7 µs a lot instead of 97.
create function auction_day(moment timestamptz) returns integer
language sql immutable parallel safe
return case
  when isfinite(moment) then floor((extract(epoch from moment at time zone 'utc') - 36000) / 86400)::integer
end;

-- What the same lot says on every source: the letters and digits of its title, its state and the day it ends.
create function lot_likeness(title text, state text, ends_at timestamptz) returns uuid
language sql immutable parallel safe
return md5(
  nullif(lower(regexp_replace(title, '[^[:alnum:]]+', '', 'g')), '') || ' ' || state || ' ' || auction_day(ends_at)::text
)::uuid;

-- The first vehicle identification number in a text, as a mark together with the day: 17 letters and digits (no I, O or Q), the
-- last four digits. No check digit is asked for: trailers and imports often have none.
create function vehicle_mark(words text, ends_at timestamptz) returns uuid
language sql immutable parallel safe
return md5(
  upper(substring(words from '(?i)\m[a-hj-npr-z0-9]{13}\d{4}\M')) || ' ' || auction_day(ends_at)::text
)::uuid;

alter table lots
  -- The lot of another source that counts in its place; null while it counts itself.
  add column duplicate_of uuid references lots (id) on delete set null,
  add column likeness uuid generated always as (lot_likeness(title, state, ends_at)) stored,
  add column vehicle uuid generated always as (vehicle_mark(title || ' ' || coalesce(description, ''), ends_at)) stored;

create index lots_by_likeness on lots (likeness) where likeness is not null;
create index lots_by_vehicle on lots (vehicle) where vehicle is not null;
create index duplicates on lots (duplicate_of) where duplicate_of is not null;

-- Groups the lots of these likenesses and vehicles anew, and the named lots with them. The answer depends on what is stored and
-- not on the order in which it came. Every lot of a group is of another source.
create function regroup_lots(lot_ids uuid[], likenesses uuid[], vehicles uuid[]) returns void
language plpgsql
-- A load is its own first statistics: whatever the planner believes, a batch is a few thousand lots, found by index.
set enable_seqscan = off
set plan_cache_mode = force_custom_plan
as $$
declare
  changed_ids uuid[];
  counting_ids uuid[];
begin
  likenesses := likenesses || array(select distinct likeness from lots where vehicle = any(vehicles) and likeness is not null);
  vehicles := vehicles || array(select distinct vehicle from lots where likeness = any(likenesses) and vehicle is not null);

  with member as materialized (
    select
      id, source, likeness, vehicle, ends_at, is_open, outcome, price_basis, duplicate_of,
      likeness is not null and likeness = any(likenesses) as is_whole,
      -- What it brought; the bids of open lots move, so they are not compared.
      nullif(final_bid_cents, 0) as price,
      left(zip, 5) as zip,
      nullif(lower(regexp_replace(city, '[^[:alnum:]]+', '', 'g')), '') as city
    from lots
    where likeness = any(likenesses)
    or vehicle = any(vehicles)
    or id = any(lot_ids)
  ),
  -- Two lots of one source are two lots, so a number that a source tells twice on a day names none.
  known_vehicle as materialized (
    select vehicle
    from member
    where vehicle is not null
    group by vehicle
    having count(*) > 1
    and count(*) = count(distinct source)
  ),
  -- Nearly every lot is alone, and is looked at no further.
  shared_likeness as materialized (
    select likeness
    from member
    where is_whole
    group by likeness
    having min(source) <> max(source)
  ),
  -- A lot without a ZIP code is where its city's lots are.
  placed as (
    select
      *,
      coalesce(zip, case when city is not null then min(zip) over (partition by likeness, city) end, city) as place
    from member
    where is_whole
    and likeness in (select likeness from shared_likeness)
    and (vehicle is null or vehicle not in (select vehicle from known_vehicle))
  ),
  priced as (
    select
      *,
      (price > 2 * lag(price) over (partition by likeness, place order by price nulls first)) is true as is_dearer,
      row_number() over (partition by likeness, place, source, price order by ends_at, id) as nth_at_price
    from placed
    where place is not null
  ),
  classed as (
    select
      *,
      count(*) filter (where is_dearer) over (partition by likeness, place order by price nulls first) as price_class,
      count(*) over (partition by likeness, place, price, nth_at_price) > 1 as has_twin
    from priced
  ),
  -- Of a fleet the lots at the same price first, then the others by price: the nth of one source is the nth of another.
  grouped as (
    select
      id, vehicle, price, price_basis, is_open, outcome, false as is_certain,
      concat_ws(
        ' ', likeness, place, price_class,
        row_number() over (partition by likeness, place, price_class, source order by has_twin desc, price, ends_at, id)
      ) as team
    from classed
    union all
    select id, vehicle, price, price_basis, is_open, outcome, true, vehicle::text
    from member
    where vehicle in (select vehicle from known_vehicle)
  ),
  -- The sale with the best basis counts; of equal ones the highest price, which was seen last.
  judged as (
    select
      *,
      first_value(id) over counting as counting_id,
      first_value(price) over counting as counting_price,
      first_value(vehicle) over counting as counting_vehicle
    from grouped
    window counting as (
      partition by team
      order by
        array_position(array['awarded', 'closed_high_bid', 'last_observed'], price_basis),
        is_open desc,
        (outcome is not distinct from 'withdrawn'),
        price desc nulls last,
        id
    )
  ),
  duplicate as (
    select id, counting_id
    from judged
    where id <> counting_id
    and (
      is_certain
      or (
        coalesce(greatest(price, counting_price) <= 2 * least(price, counting_price), true)
        and coalesce(vehicle = counting_vehicle, true)
      )
    )
  )
  select array_agg(id), array_agg(counting_id)
  into changed_ids, counting_ids
  from member
  left join duplicate using (id)
  where duplicate_of is distinct from counting_id
  and (is_whole or counting_id is not null or id = any(lot_ids));

  -- An open lot is not estimated from the sale of its own twin, and a sale counts or counts no more.
  with regrouped as (
    update lots
    set duplicate_of = changed.counting_id
    from unnest(changed_ids, counting_ids) as changed (id, counting_id)
    where lots.id = changed.id
    and lots.id = any(changed_ids)
    returning lots.id, lots.is_open, lots.sold_at
  ),
  noted as (
    insert into scoring_agenda as agenda (lot_id, due_at, needs_estimate)
    select id, '-infinity'::timestamptz, true
    from regrouped
    where is_open
    on conflict (lot_id) do update set
      due_at = excluded.due_at,
      needs_estimate = true,
      changes = agenda.changes + 1
  )
  update sales_indexes
  set sales_changed = sales_changed + (select count(sold_at) from regrouped)
  where (select count(sold_at) from regrouped) > 0;
end
$$;

create function regroup_new_lots() returns trigger
language plpgsql as $$
begin
  perform regroup_lots(
    array(select id from new_lots),
    array(select distinct likeness from new_lots where likeness is not null),
    array(select distinct vehicle from new_lots where vehicle is not null)
  );
  return null;
end
$$;

-- Only what the groups are made of: most updates move a bid, a score or the time of the last look.
create function regroup_changed_lots() returns trigger
language plpgsql
-- The plan is made once a session, often for an update of no rows at all, which a loop in a loop suits.
set enable_nestloop = off
as $$
declare
  lot_ids uuid[];
  likenesses uuid[];
  vehicles uuid[];
begin
  select
    array_agg(before.id),
    array_agg(before.likeness) || array_agg(after.likeness),
    array_agg(before.vehicle) || array_agg(after.vehicle)
  into lot_ids, likenesses, vehicles
  from lots_before before
  join lots_after after using (id)
  where (
    before.likeness, before.vehicle, before.zip, before.city, before.ends_at, before.is_open, before.outcome,
    before.final_bid_cents, before.price_basis
  ) is distinct from (
    after.likeness, after.vehicle, after.zip, after.city, after.ends_at, after.is_open, after.outcome,
    after.final_bid_cents, after.price_basis
  );
  if lot_ids is not null then
    perform regroup_lots(lot_ids, array_remove(likenesses, null), array_remove(vehicles, null));
  end if;
  return null;
end
$$;

-- In the statement that writes the lots, so that no crash and no forgotten call leaves a group untrue. Not for the update that
-- the grouping itself makes.
create trigger regroup_new_lots
after insert on lots
referencing new table as new_lots
for each statement
when (pg_trigger_depth() = 0)
execute function regroup_new_lots();

create trigger regroup_changed_lots
after update on lots
referencing old table as lots_before new table as lots_after
for each statement
when (pg_trigger_depth() = 0)
execute function regroup_changed_lots();

create or replace view sales as
select id, source, source_id, title, category, item, state, final_bid_cents, num_bids, price_basis, sold_at, source_url,
  zip
from lots
where sold_at is not null
and duplicate_of is null;

drop index sales_by_category, sales_by_state, sales_by_item;
create index sales_by_category on lots (category, sold_at) include (state, final_bid_cents, num_bids, price_basis)
where sold_at is not null and duplicate_of is null;
create index sales_by_state on lots (state, sold_at) include (final_bid_cents, num_bids, price_basis)
where sold_at is not null and duplicate_of is null;
create index sales_by_item on lots (item, sold_at) include (final_bid_cents, num_bids, price_basis)
where sold_at is not null and duplicate_of is null;

-- What is stored already: only what several sources say can be the same lot.
select regroup_lots(
  '{}',
  array(select likeness from lots where likeness is not null group by likeness having count(distinct source) > 1),
  array(select vehicle from lots where vehicle is not null group by vehicle having count(distinct source) > 1)
);
