-- Loads: what was read, taken and set aside, and why; when each source is due; the same lot on two sources, counted once.

create table loads (
  id bigint generated always as identity primary key,
  feed text not null,
  started_at timestamptz not null,
  finished_at timestamptz,
  state text not null default 'running' check (state in ('running', 'done', 'refused')),
  reason text,
  rows_read integer not null default 0,
  rows_taken integer not null default 0,
  rows_set_aside integer not null default 0
);

-- The last good load with live rows of the source, and how many: what the next one is compared with.
alter table sources
  add column last_load_id bigint references loads (id),
  add column last_live_rows integer;

create table set_aside_rows (
  load_id bigint not null references loads (id),
  line integer not null,
  reason text not null,
  raw text not null,
  primary key (load_id, line)
);

-- When each source was last fetched, with which result, and when it is due: shared by all processes, so that a restart fetches
-- nothing twice.
create table sweeps (
  source text primary key references sources (source),
  -- When an operator first read it successfully (try-source): before that, a feed that nobody has tried is not fetched.
  tried_at timestamptz,
  last_attempt_at timestamptz,
  finished_at timestamptz,
  -- Null while a sweep runs, and after one whose process died.
  outcome text check (outcome in ('done', 'refused', 'failed', 'dropped')),
  reason text,
  -- What the source has beside its lots, such as vehicles that are still on a tow lot.
  counted integer,
  -- Attempts since the last good one, the one under way among them.
  failures integer not null default 0,
  -- The source asked for no requests until then.
  wait_until timestamptz,
  -- The schedule of the sweeper that wrote the row.
  interval_seconds float8,
  next_due_at timestamptz,
  -- What the lots of the source were last loaded from, so that the same content is not loaded again: its hash, and the validator of its
  -- URL. Null as soon as anything else writes these lots.
  copy jsonb,
  loaded_at timestamptz
);

-- The groups of lots that may be one thing on several sources (docs/decisions/0013-duplicates.md): by vehicle, which is certain, or by
-- title, location, price class and rank. Each lot of a group has another source.
create function lot_groups(titles uuid[], vehicles uuid[]) returns table (lot_id uuid, group_key text, is_certain boolean)
language plpgsql stable
-- A batch has thousands of titles: the plan for any number of them compares every lot with every other.
set plan_cache_mode = force_custom_plan
as $$
begin
  return query
  with member as materialized (
    select
      id, source, title_fingerprint, vehicle_fingerprint, ends_at, title_fingerprint = any(titles) as has_title,
      -- The final price; the bids of open lots still move, so they are not compared.
      nullif(final_bid_cents, 0) as price,
      left(zip, 5) as zip,
      nullif(lower(regexp_replace(city, '[^[:alnum:]]+', '', 'g')), '') as city
    from lots
    where title_fingerprint = any(titles) or vehicle_fingerprint = any(vehicles)
  ), known_vehicle as materialized (
    -- Two lots of one source are two lots: a number that one source states twice on a day identifies neither.
    select vehicle_fingerprint
    from member
    where vehicle_fingerprint is not null
    group by vehicle_fingerprint
    having count(*) > 1 and count(*) = count(distinct source)
  ), shared_title as materialized (
    select title_fingerprint
    from member
    where has_title
    group by title_fingerprint
    having min(source) <> max(source)
  ), located as (
    -- A lot without a ZIP code takes that of the other lots in its city.
    select *, coalesce(zip, case when city is not null then min(zip) over (partition by title_fingerprint, city) end, city) as location
    from member
    where title_fingerprint in (select title_fingerprint from shared_title)
    and (vehicle_fingerprint is null or vehicle_fingerprint not in (select vehicle_fingerprint from known_vehicle))
  ), priced as (
    select
      *,
      (price > 2 * lag(price) over (partition by title_fingerprint, location order by price nulls first)) is true as is_costlier,
      row_number() over (partition by title_fingerprint, location, source, price order by ends_at, id) as nth_at_price
    from located
    where location is not null
  ), classed as (
    select
      *,
      count(*) filter (where is_costlier) over (partition by title_fingerprint, location order by price nulls first) as price_class,
      count(*) over (partition by title_fingerprint, location, price, nth_at_price) > 1 as has_pair
    from priced
  )
  -- Of several equal lots, those at the same price pair first, then the others by price: the nth of one source with the nth of another.
  select id, concat_ws(' ', title_fingerprint, location, price_class, row_number() over pairing), false
  from classed
  window pairing as (partition by title_fingerprint, location, price_class, source order by has_pair desc, price, ends_at, id)
  union all
  select id, vehicle_fingerprint::text, true
  from member
  where vehicle_fingerprint in (select vehicle_fingerprint from known_vehicle);
end
$$;

-- Groups all lots of these titles and vehicles again, and the named lots. The result depends on what is stored, not on the order in which
-- it arrived. Open lots are estimated again, because none may be estimated from the sale of its own duplicate.
create function regroup_lots(lot_ids uuid[], titles uuid[], vehicles uuid[]) returns void
language plpgsql as $$
begin
  titles := titles || array(
    select distinct title_fingerprint from lots where vehicle_fingerprint = any(vehicles) and title_fingerprint is not null
  );
  vehicles := vehicles || array(
    select distinct vehicle_fingerprint from lots where title_fingerprint = any(titles) and vehicle_fingerprint is not null
  );
  -- The sale with the best price basis counts; among equals the highest price, which is the latest one.
  with ranked as (
    select
      id, is_certain, price, vehicle_fingerprint,
      first_value(id) over counting as counting_id,
      first_value(price) over counting as counting_price,
      first_value(vehicle_fingerprint) over counting as counting_vehicle
    from lot_groups(titles, vehicles)
    join lots on id = lot_id
    cross join lateral nullif(final_bid_cents, 0) as price
    window counting as (
      partition by group_key
      order by
        array_position(array['awarded', 'closed_high_bid', 'last_observed'], price_basis),
        is_open desc, (outcome is not distinct from 'withdrawn'), price desc nulls last, id
    )
  ), duplicate as materialized (
    select id, counting_id
    from ranked
    where id <> counting_id
    and (is_certain or coalesce(greatest(price, counting_price) <= 2 * least(price, counting_price), true))
    and (is_certain or coalesce(vehicle_fingerprint = counting_vehicle, true))
  ), changed as (
    select id, counting_id from duplicate
    union all
    select id, null
    from lots
    where duplicate_of is not null
    and (title_fingerprint = any(titles) or id = any(lot_ids))
    and id not in (select id from duplicate)
  ), regrouped as (
    update lots
    set duplicate_of = changed.counting_id
    from changed
    where lots.id = changed.id and lots.duplicate_of is distinct from changed.counting_id
    returning lots.id, lots.is_open, lots.sold_at
  ), queued as (
    insert into scoring_queue as queue (lot_id, due_at, needs_estimate)
    select id, '-infinity'::timestamptz, true from regrouped where is_open
    on conflict (lot_id) do update set due_at = excluded.due_at, needs_estimate = true, changes = queue.changes + 1
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
    array(select distinct title_fingerprint from new_lots where title_fingerprint is not null),
    array(select distinct vehicle_fingerprint from new_lots where vehicle_fingerprint is not null)
  );
  return null;
end
$$;

-- Reacts only to columns that decide the groups: most updates change a bid, a score or observed_at.
create function regroup_changed_lots() returns trigger
language plpgsql
-- The plan is made once a session, often for an update of no rows, for which the planner prefers a nested loop.
set enable_nestloop = off
as $$
declare
  lot_ids uuid[];
  titles uuid[];
  vehicles uuid[];
begin
  select
    array_agg(before.id),
    array_agg(before.title_fingerprint) || array_agg(after.title_fingerprint),
    array_agg(before.vehicle_fingerprint) || array_agg(after.vehicle_fingerprint)
  into lot_ids, titles, vehicles
  from lots_before before
  join lots_after after using (id)
  where (
    before.title_fingerprint, before.vehicle_fingerprint, before.zip, before.city, before.ends_at, before.is_open, before.outcome,
    before.final_bid_cents, before.price_basis
  ) is distinct from (
    after.title_fingerprint, after.vehicle_fingerprint, after.zip, after.city, after.ends_at, after.is_open, after.outcome,
    after.final_bid_cents, after.price_basis
  );
  if lot_ids is not null then
    perform regroup_lots(lot_ids, array_remove(titles, null), array_remove(vehicles, null));
  end if;
  return null;
end
$$;

-- In the statement that writes the lots, so that a crash leaves no group wrong. Not for the update that the grouping itself makes.
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
