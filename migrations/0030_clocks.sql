-- The clock of the database may have been ahead: what it dated in the future must keep nobody out until the
-- clock has caught up.

-- As in 0004, but a minute that begins later than now is over. A statement may wait for the locks of one that
-- began later, so the time that it took so far is added to its moment: without it, callers at the same time
-- would begin the minute of one another again.
-- Why: every key that called while a database clock was two hours ahead was refused for two hours;
-- `npx vitest run test/metering/clockBack.test.ts` shows it.
create or replace function lock_counters(
  month_meters text[], month_limits integer[], burst_meters text[], burst_limits integer[],
  moment timestamptz,
  out open_months text[], out open_minutes text[]
)
language plpgsql as $$
declare
  this_month date := date_trunc('month', moment at time zone 'utc');
  latest timestamptz := moment + (clock_timestamp() - now());
begin
  select array_agg(distinct month_meter), array_agg(burst_meter)
  into open_months, open_minutes
  from unnest(month_meters, month_limits, burst_meters, burst_limits)
    as caller (month_meter, month_limit, burst_meter, burst_limit)
  left join monthly_usage m on m.meter = month_meter and m.month = this_month
  left join burst_usage b
    on b.meter = burst_meter and b.started_at > moment - interval '1 minute' and b.started_at <= latest
  where coalesce(m.used, 0) < month_limit
  and coalesce(b.used, 0) < burst_limit;
  -- An update on conflict locks the row although its condition is false and nothing is written.
  insert into monthly_usage (meter, month, used)
  select meter, this_month, 0 from unnest(open_months) as meter order by meter
  on conflict (meter, month) do update set used = 0 where false;
  insert into burst_usage (meter, started_at, used)
  select meter, moment, 0 from unnest(open_minutes) as meter order by meter
  on conflict (meter) do update set used = 0 where false;
end
$$;

create or replace function charge_calls(
  month_meters text[], month_limits integer[], burst_meters text[], burst_limits integer[], calls integer[],
  operation_lists text[], moment timestamptz
) returns table (burst_meter text, granted integer, month_used integer, burst_started_at timestamptz)
language plpgsql as $$
#variable_conflict use_column
declare
  this_month date := date_trunc('month', moment at time zone 'utc');
  today integer := extract(day from moment at time zone 'utc');
  latest timestamptz;
  open_months text[];
  open_minutes text[];
begin
  select l.open_months, l.open_minutes
  into open_months, open_minutes
  from lock_counters(month_meters, month_limits, burst_meters, burst_limits, moment) as l;
  latest := moment + (clock_timestamp() - now());
  return query
  with month as materialized (
    select meter, used from monthly_usage where meter = any (month_meters) and month = this_month
  ), minute as materialized (
    select meter, used, started_at
    from burst_usage
    where meter = any (burst_meters)
    and started_at > moment - interval '1 minute'
    and started_at <= latest
    and used > 0
  ), wanted as (
    select
      caller.*, coalesce(month.used, 0) as month_used, coalesce(minute.used, 0) as burst_used,
      coalesce(minute.started_at, moment) as started_at,
      case
        when burst_meter = any (open_minutes)
        then greatest(0, least(calls, burst_limit - coalesce(minute.used, 0)))
        else 0
      end as wanted
    from unnest(month_meters, month_limits, burst_meters, burst_limits, calls, operation_lists)
      with ordinality
      as caller (month_meter, month_limit, burst_meter, burst_limit, calls, operations, position)
    left join month on month.meter = month_meter
    left join minute on minute.meter = burst_meter
  ), summed as (
    select *, sum(wanted) over (partition by month_meter order by month_limit desc, position) as wanted_so_far
    from wanted
  ), charged as (
    select
      *, greatest(0, least(wanted, month_limit - month_used - wanted_so_far + wanted))::integer as granted
    from summed
  ), charged_months as (
    update monthly_usage u
    set used = u.used + due.calls, days[today] = u.days[today] + due.calls
    from (
      select month_meter, sum(granted)::integer as calls from charged where granted > 0 group by month_meter
    ) as due
    where u.meter = any (open_months) and u.meter = due.month_meter and u.month = this_month
  ), charged_minutes as (
    update burst_usage u
    set used = charged.burst_used + charged.granted, started_at = charged.started_at
    from charged
    where u.meter = any (open_minutes) and u.meter = charged.burst_meter and charged.granted > 0
  ), counted as (
    insert into operation_calls (key_id, month, operation, calls)
    select substr(burst_meter, 5)::uuid, this_month, operation, count(*)
    from charged
    cross join lateral unnest((string_to_array(operations, ','))[:granted]) as operation
    where operation <> ''
    group by burst_meter, operation
  )
  select
    burst_meter, granted, greatest(month_used, least(month_used + wanted_so_far, month_limit))::integer,
    started_at
  from charged;
end
$$;
