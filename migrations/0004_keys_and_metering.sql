-- Keys, and the two counters that every call is charged to: the account's month and the key's minute.

create table accounts (
  id bigint generated always as identity primary key,
  -- The e-mail address of a person who signs in (domain/accounts/emailAddress.ts normalizes it), or any name that an operator gave.
  owner text unique,
  created_at timestamptz not null default now(),
  -- The plan of the account's keys that have none of their own. Only Stripe changes it.
  plan text not null default 'free' check (plan in ('free', 'pro', 'pro_plus', 'enterprise')),
  stripe_customer text unique,
  subscription_status text,
  subscription_ends_at timestamptz,
  -- The number of the look at Stripe that the plan comes from (0005_accounts.sql).
  subscription_look bigint not null default 0
);

create table keys (
  id uuid primary key default gen_random_uuid(),
  account_id bigint not null references accounts (id),
  -- Null: the plan of the account. A key that an operator made has a plan of its own.
  plan text check (plan in ('free', 'pro', 'pro_plus', 'enterprise')),
  secret_hash bytea not null unique,
  hint text not null,
  calls_per_month integer check (calls_per_month >= 0),
  calls_per_minute integer check (calls_per_minute >= 0),
  created_at timestamptz not null default now(),
  revoked_at timestamptz,
  name text not null default ''
);

create index keys_by_account on keys (account_id);

-- Half-full pages keep the updates of a hot counter on its own page, without touching the index (HOT).
create table monthly_usage (
  meter text not null,
  month date not null,
  used integer not null,
  -- The calls of each day. In the row of the month, so that they always add up to it, without a row, lock or index of their own.
  days integer[] not null default array_fill(0, array[31]),
  primary key (meter, month)
) with (fillfactor = 50);

create table burst_usage (
  meter text primary key,
  started_at timestamptz not null,
  used integer not null
) with (fillfactor = 50);

create type charge as (
  granted integer,
  month_used integer,
  day date,
  month_resets_in integer,
  burst_used integer,
  burst_started_at timestamptz,
  burst_resets_in integer
);

create function charge(
  month_meter text, month_limit integer, burst_meter text, burst_limit integer, calls integer, moment timestamptz
) returns charge
language plpgsql as $$
declare
  answer charge;
  burst_ends_at timestamptz;
  this_month date;
  day_of_month integer;
begin
  answer.day := (moment at time zone 'utc')::date;
  this_month := date_trunc('month', answer.day::timestamp)::date;
  day_of_month := extract(day from answer.day);
  answer.month_resets_in := ceil(extract(epoch from (this_month + interval '1 month') at time zone 'utc' - moment));
  answer.granted := 0;

  -- Nearly always the minute has begun, and both have room: a look and two updates. Where the second finds that it has no room any
  -- more, the first is taken back, and the long way says what can be granted.
  select started_at into answer.burst_started_at
  from burst_usage
  where meter = burst_meter and started_at > moment - interval '1 minute' and used > 0 and used + calls <= burst_limit;
  if found then
    update monthly_usage
    set used = used + calls, days[day_of_month] = days[day_of_month] + calls
    where meter = month_meter and month = this_month and used + calls <= month_limit
    returning used into answer.month_used;
    if found then
      update burst_usage
      set used = used + calls
      where meter = burst_meter and started_at = answer.burst_started_at and used > 0 and used + calls <= burst_limit
      returning used into answer.burst_used;
      if found then
        answer.granted := calls;
        answer.burst_resets_in := greatest(
          1, ceil(extract(epoch from answer.burst_started_at + interval '1 minute' - moment))
        );
        return answer;
      end if;
      update monthly_usage
      set used = used - calls, days[day_of_month] = days[day_of_month] - calls
      where meter = month_meter and month = this_month;
    end if;
  end if;

  -- First a look, then, if anything can be granted, the same look with both rows locked.
  for attempt in 1 .. 2 loop
    if attempt = 1 then
      select used into answer.month_used from monthly_usage where meter = month_meter and month = this_month;
      select started_at, used into answer.burst_started_at, answer.burst_used from burst_usage where meter = burst_meter;
    else
      insert into monthly_usage (meter, month, used) values (month_meter, this_month, 0) on conflict do nothing;
      select used into answer.month_used from monthly_usage where meter = month_meter and month = this_month for update;
      insert into burst_usage (meter, started_at, used) values (burst_meter, moment, 0) on conflict do nothing;
      select started_at, used into answer.burst_started_at, answer.burst_used from burst_usage where meter = burst_meter for update;
    end if;
    answer.month_used := coalesce(answer.month_used, 0);
    if answer.burst_started_at is null or answer.burst_started_at <= moment - interval '1 minute' or answer.burst_used = 0 then
      answer.burst_started_at := moment;
      answer.burst_used := 0;
    end if;
    burst_ends_at := answer.burst_started_at + interval '1 minute';
    answer.burst_resets_in := greatest(1, ceil(extract(epoch from burst_ends_at - moment)));
    exit when answer.month_used >= month_limit or answer.burst_used >= burst_limit;
    if attempt = 2 then
      answer.granted := least(calls, month_limit - answer.month_used, burst_limit - answer.burst_used);
    end if;
  end loop;

  if answer.granted > 0 then
    answer.month_used := answer.month_used + answer.granted;
    answer.burst_used := answer.burst_used + answer.granted;
    update monthly_usage
    set used = answer.month_used, days[day_of_month] = days[day_of_month] + answer.granted
    where meter = month_meter and month = this_month;
    update burst_usage set started_at = answer.burst_started_at, used = answer.burst_used where meter = burst_meter;
  end if;
  return answer;
end
$$;

create function charge_keys(hashes bytea[], calls integer[], plans jsonb, moment timestamptz)
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

-- Gives calls back that ended in a failure of the service: to the month and day that paid, and to the minute if it still runs.
create function give_back(month_meters text[], days date[], burst_meters text[], burst_starts timestamptz[]) returns void
language plpgsql as $$
declare
  call record;
  day_of_month integer;
begin
  for call in
    select month_meter, day, burst_meter, burst_start, count(*)::integer as calls
    from unnest(month_meters, give_back.days, burst_meters, burst_starts) as given (month_meter, day, burst_meter, burst_start)
    group by month_meter, day, burst_meter, burst_start
    order by month_meter collate "C", burst_meter collate "C"
  loop
    day_of_month := extract(day from call.day);
    update monthly_usage u
    set
      used = greatest(0, u.used - call.calls),
      days[day_of_month] = greatest(0, u.days[day_of_month] - call.calls)
    where u.meter = call.month_meter and u.month = date_trunc('month', call.day::timestamp)::date;
    update burst_usage set used = greatest(0, used - call.calls) where meter = call.burst_meter and started_at = call.burst_start;
  end loop;
end
$$;
