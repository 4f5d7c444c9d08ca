-- As before (0012), but without joins of the counters. Those were nested loops, which compared every key of a batch with every month and
-- minute; and since plans are kept, one that was made while a table had a few rows read all of it for every key ever after. Now what is
-- to be charged is one object, in which each counter finds its own, and counters are found by index whatever their number. All
-- months are locked, in the order of their index, before the first minute; a minute is only ever locked by who holds its month, so
-- their own order does not matter.
create or replace function charge_keys(hashes bytea[], calls integer[], plans jsonb, moment timestamptz)
returns table (
  place integer, key_id uuid, account_id bigint, plan text, month_limit integer, burst_limit integer,
  granted integer, month_used integer, day date, month_resets_in integer, burst_started_at timestamptz, burst_resets_in integer,
  version bigint, now_ms float8
)
language plpgsql
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set enable_mergejoin = off
set enable_hashjoin = off
set enable_bitmapscan = off
set jit = off
as $$
#variable_conflict use_column
declare
  caller record;
  charged charge;
  present timestamptz := coalesce(moment, now());
  a_minute_ago timestamptz := present - interval '1 minute';
  today date := (present at time zone 'utc')::date;
  this_month date := date_trunc('month', today::timestamp)::date;
  day_of_month integer := extract(day from today);
  next_month timestamptz := (this_month + interval '1 month') at time zone 'utc';
  has_locked boolean := false;
  account_before bigint;
  granted_to_account integer;
begin
  day := today;
  month_resets_in := ceil(extract(epoch from next_month - present));
  now_ms := extract(epoch from present)::float8 * 1000;
  for caller in
    with asked as materialized (
      select
        row_number() over (order by k.month_meter collate "C", k.burst_meter collate "C") as turn,
        k.place, k.id, k.account_id, k.plan, k.calls, k.month_meter, k.burst_meter,
        coalesce(k.calls_per_month, (plans -> k.plan ->> 'calls_per_month')::integer) as month_limit,
        coalesce(k.calls_per_minute, (plans -> k.plan ->> 'calls_per_minute')::integer) as burst_limit,
        b.started_at,
        case when b.started_at > a_minute_ago then b.used else 0 end as minute_used
      from (
        select
          asked.place::integer as place, asked.calls, k.id, k.account_id, k.calls_per_month, k.calls_per_minute,
          coalesce(k.plan, (select a.plan from accounts a where a.id = k.account_id)) as plan,
          'account:' || k.account_id as month_meter, 'key:' || k.id as burst_meter
        from unnest(hashes, calls) with ordinality as asked (hash, calls, place)
        join keys k on k.secret_hash = asked.hash and k.revoked_at is null
        offset 0
      ) as k
      left join lateral (
        select b.started_at, b.used from burst_usage b where b.meter = k.burst_meter offset 0
      ) as b on true
    ), due_months as materialized (
      select
        array_agg(month_meter) as meters,
        jsonb_object_agg(month_meter, calls) as calls,
        jsonb_object_agg(month_meter, month_limit) as limits
      from (
        select month_meter, sum(calls)::integer as calls, min(month_limit) as month_limit
        from asked
        where started_at is not null and minute_used + calls <= burst_limit
        group by month_meter
      ) as a
    ), months as (
      update monthly_usage u
      set
        used = u.used + ((select calls from due_months) ->> u.meter)::integer,
        days[day_of_month] = u.days[day_of_month] + ((select calls from due_months) ->> u.meter)::integer
      where
        u.meter = any ((select meters from due_months)::text[]) and u.month = this_month
        and u.used + ((select calls from due_months) ->> u.meter)::integer
          <= ((select limits from due_months) ->> u.meter)::integer
      returning u.meter, u.used - ((select calls from due_months) ->> u.meter)::integer as used_before
    ), charged as materialized (
      select jsonb_object_agg(meter, used_before) as used_before from months
    ), due_minutes as materialized (
      select
        array_agg(burst_meter) as meters,
        jsonb_object_agg(burst_meter, calls) as calls,
        jsonb_object_agg(burst_meter, burst_limit) as limits
      from asked
      where
        started_at is not null and minute_used + calls <= burst_limit
        and (select used_before from charged) ? month_meter
    ), minutes as (
      update burst_usage b
      set
        started_at = case when b.started_at > a_minute_ago and b.used > 0 then b.started_at else present end,
        used = case when b.started_at > a_minute_ago then b.used else 0 end
          + ((select calls from due_minutes) ->> b.meter)::integer
      where
        b.meter = any ((select meters from due_minutes)::text[])
        and case when b.started_at > a_minute_ago then b.used else 0 end + ((select calls from due_minutes) ->> b.meter)::integer
          <= ((select limits from due_minutes) ->> b.meter)::integer
      returning b.meter, b.started_at
    ), granted as materialized (
      select jsonb_object_agg(meter, started_at) as started_at from minutes
    )
    select
      a.*,
      coalesce((select g.started_at from granted g) ? a.burst_meter, false) as is_granted,
      ((select g.started_at from granted g) ->> a.burst_meter)::timestamptz as granted_at,
      -- Whether the month was charged, and then the minute was found to be full.
      not coalesce((select g.started_at from granted g) ? a.burst_meter, false)
        and coalesce((select calls from due_minutes) ? a.burst_meter, false) as is_month_charged,
      coalesce(
        ((select used_before from charged) ->> a.month_meter)::integer,
        (select u.used from monthly_usage u where u.meter = a.month_meter and u.month = this_month),
        0
      ) as used_before,
      (select d.version from data_version d where d.is_only) as version
    from asked a
    order by is_granted desc, is_month_charged desc, turn
  loop
    place := caller.place;
    key_id := caller.id;
    account_id := caller.account_id;
    plan := caller.plan;
    month_limit := caller.month_limit;
    burst_limit := caller.burst_limit;
    version := caller.version;
    month_used := caller.used_before;
    if caller.is_granted then
      has_locked := true;
      granted := caller.calls;
      -- Keys of one account follow one another.
      granted_to_account := case when caller.account_id = account_before then granted_to_account else 0 end + granted;
      account_before := caller.account_id;
      month_used := month_used + granted_to_account;
      burst_started_at := caller.granted_at;
    elsif caller.is_month_charged then
      has_locked := true;
      granted := null;
      update monthly_usage u
      set used = u.used - caller.calls, days[day_of_month] = u.days[day_of_month] - caller.calls
      where u.meter = caller.month_meter and u.month = this_month;
    elsif caller.used_before >= month_limit or caller.minute_used >= burst_limit then
      granted := 0;
      burst_started_at := case when caller.minute_used > 0 then caller.started_at else present end;
    elsif has_locked then
      granted := null;
    else
      charged := charge(caller.month_meter, month_limit, caller.burst_meter, burst_limit, caller.calls, present);
      granted := charged.granted;
      month_used := charged.month_used;
      burst_started_at := charged.burst_started_at;
    end if;
    burst_resets_in := greatest(1, ceil(extract(epoch from burst_started_at + interval '1 minute' - present)));
    return next;
  end loop;
end
$$;
