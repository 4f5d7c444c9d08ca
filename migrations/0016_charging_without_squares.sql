-- As before (0012), but no longer by the square of the keys of a batch: nested loops, the only joins that are on, compared every
-- month with every key, and every key with every minute. What the months held before is one object now, in which each key finds its
-- own, and rows that are granted come from the update itself. All months are locked before the first minute; a minute is
-- only ever locked by who holds its month, so their own order does not matter.
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
      left join burst_usage b on b.meter = k.burst_meter
    ), months as (
      update monthly_usage u
      set used = u.used + a.calls, days[day_of_month] = u.days[day_of_month] + a.calls
      from (
        select month_meter, this_month as month, sum(calls)::integer as calls, min(month_limit) as month_limit
        from asked
        where started_at is not null and minute_used + calls <= burst_limit
        group by month_meter
        order by month_meter collate "C"
      ) as a
      where u.meter = a.month_meter and u.month = a.month and u.used + a.calls <= a.month_limit
      returning u.meter, u.used - a.calls as used_before
    ), charged as (
      select jsonb_object_agg(meter, used_before) as used_before from months
    ), minutes as (
      update burst_usage b
      set
        started_at = case when b.started_at > a_minute_ago and b.used > 0 then b.started_at else present end,
        used = case when b.started_at > a_minute_ago then b.used else 0 end + a.calls
      from asked a
      where
        b.meter = a.burst_meter and a.started_at is not null and a.minute_used + a.calls <= a.burst_limit
        and case when b.started_at > a_minute_ago then b.used else 0 end + a.calls <= a.burst_limit
        and (select used_before from charged) ? a.month_meter
      returning a.*, b.started_at as granted_at
    )
    select
      minutes.*, true as is_granted, false as is_month_charged,
      ((select used_before from charged) ->> month_meter)::integer as used_before,
      (select d.version from data_version d where d.is_only) as version
    from minutes
    union all
    select
      a.*, null, false,
      -- Whether the month was charged, and then the minute was found to be full.
      a.started_at is not null and a.minute_used + a.calls <= a.burst_limit
        and coalesce((select used_before from charged) ? a.month_meter, false),
      coalesce((select u.used from monthly_usage u where u.meter = a.month_meter and u.month = this_month), 0),
      (select d.version from data_version d where d.is_only)
    from asked a
    where (a.place in (select place from minutes)) is false
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
