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

-- The live rows of each source in each good load, with which the next load is compared.
create table load_sources (
  load_id bigint not null references loads (id),
  source text not null references sources (source),
  live_rows integer not null,
  finished_at timestamptz not null,
  primary key (load_id, source)
);

create index load_sources_by_time on load_sources (source, finished_at desc);

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
  last_attempt_at timestamptz,
  finished_at timestamptz,
  -- Null while a sweep runs, and after one whose process died.
  outcome text check (outcome in ('done', 'refused', 'failed', 'dropped')),
  reason text,
  rows_taken integer,
  rows_set_aside integer,
  -- Failed attempts since the last good one.
  failures integer not null default 0,
  -- The source asked for no requests until then.
  wait_until timestamptz,
  -- The schedule of the sweeper that wrote the row.
  interval_seconds float8,
  next_due_at timestamptz
);

-- Regroups all lots of these titles and vehicles, and the named lots (docs/decisions/0013-duplicates.md). The result depends on
-- what is stored and not on the order in which it arrived. Each lot of a group has another source.
create function regroup_lots(lot_ids uuid[], titles uuid[], vehicles uuid[]) returns void
language plpgsql
-- During a first load the tables have no statistics yet; a batch is a few thousand lots, found by index.
set enable_seqscan = off
set plan_cache_mode = force_custom_plan
as $$
declare
  changed_ids uuid[];
  counting_ids uuid[];
begin
  titles := titles || array(select distinct title_fingerprint from lots where vehicle_fingerprint = any(vehicles) and title_fingerprint is not null);
  vehicles := vehicles || array(select distinct vehicle_fingerprint from lots where title_fingerprint = any(titles) and vehicle_fingerprint is not null);

  with member as materialized (
    select
      id, source, title_fingerprint, vehicle_fingerprint, ends_at, is_open, outcome, price_basis, duplicate_of,
      title_fingerprint is not null and title_fingerprint = any(titles) as has_title,
      -- The final price; the bids of open lots still move, so they are not compared.
      nullif(final_bid_cents, 0) as price,
      left(zip, 5) as zip,
      nullif(lower(regexp_replace(city, '[^[:alnum:]]+', '', 'g')), '') as city
    from lots
    where title_fingerprint = any(titles)
    or vehicle_fingerprint = any(vehicles)
    or id = any(lot_ids)
  ),
  -- Two lots of one source are two lots: a number that one source states twice on a day identifies neither.
  known_vehicle as materialized (
    select vehicle_fingerprint
    from member
    where vehicle_fingerprint is not null
    group by vehicle_fingerprint
    having count(*) > 1
    and count(*) = count(distinct source)
  ),
  -- Nearly every lot has its title_fingerprint alone, and needs no further work.
  shared_title as materialized (
    select title_fingerprint
    from member
    where has_title
    group by title_fingerprint
    having min(source) <> max(source)
  ),
  -- A lot without a ZIP code takes that of the other lots in its city.
  placed as (
    select
      *,
      coalesce(zip, case when city is not null then min(zip) over (partition by title_fingerprint, city) end, city) as place
    from member
    where has_title
    and title_fingerprint in (select title_fingerprint from shared_title)
    and (vehicle_fingerprint is null or vehicle_fingerprint not in (select vehicle_fingerprint from known_vehicle))
  ),
  priced as (
    select
      *,
      (price > 2 * lag(price) over (partition by title_fingerprint, place order by price nulls first)) is true as is_dearer,
      row_number() over (partition by title_fingerprint, place, source, price order by ends_at, id) as nth_at_price
    from placed
    where place is not null
  ),
  classed as (
    select
      *,
      count(*) filter (where is_dearer) over (partition by title_fingerprint, place order by price nulls first) as price_class,
      count(*) over (partition by title_fingerprint, place, price, nth_at_price) > 1 as has_pair
    from priced
  ),
  -- Of several equal lots, those at the same price pair first, then the others by price: the nth of one source with the nth of another.
  grouped as (
    select
      id, vehicle_fingerprint, price, price_basis, is_open, outcome, false as is_certain,
      concat_ws(
        ' ', title_fingerprint, place, price_class,
        row_number() over (partition by title_fingerprint, place, price_class, source order by has_pair desc, price, ends_at, id)
      ) as team
    from classed
    union all
    select id, vehicle_fingerprint, price, price_basis, is_open, outcome, true, vehicle_fingerprint::text
    from member
    where vehicle_fingerprint in (select vehicle_fingerprint from known_vehicle)
  ),
  -- The sale with the best price basis counts; among equals the highest price, which is the latest one.
  judged as (
    select
      *,
      first_value(id) over counting as counting_id,
      first_value(price) over counting as counting_price,
      first_value(vehicle_fingerprint) over counting as counting_vehicle
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
        and coalesce(vehicle_fingerprint = counting_vehicle, true)
      )
    )
  )
  select array_agg(id), array_agg(counting_id)
  into changed_ids, counting_ids
  from member
  left join duplicate using (id)
  where duplicate_of is distinct from counting_id
  and (has_title or counting_id is not null or id = any(lot_ids));

  -- An open lot must not be estimated from the sale of its own duplicate, and sales were added to or removed from the index.
  with regrouped as (
    update lots
    set duplicate_of = changed.counting_id
    from unnest(changed_ids, counting_ids) as changed (id, counting_id)
    where lots.id = changed.id
    and lots.id = any(changed_ids)
    returning lots.id, lots.is_open, lots.sold_at
  ),
  noted as (
    insert into scoring_queue as agenda (lot_id, due_at, needs_estimate)
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
