-- Keys, and the two counters that every call is charged to: the account's month and the key's minute.

create table accounts (
  id bigint generated always as identity primary key,
  owner text unique,
  created_at timestamptz not null default now()
);

create table keys (
  id uuid primary key default gen_random_uuid(),
  account_id bigint not null references accounts (id),
  plan text not null check (plan in ('free', 'pro', 'pro_plus', 'enterprise')),
  secret_hash bytea not null unique,
  hint text not null,
  calls_per_month integer check (calls_per_month >= 0),
  calls_per_minute integer check (calls_per_minute >= 0),
  created_at timestamptz not null default now(),
  revoked_at timestamptz
);

create index keys_by_account on keys (account_id);

-- Half-full pages keep the updates of a hot counter on its own page, without touching the index (HOT).
create table monthly_usage (
  meter text not null,
  month date not null,
  used integer not null,
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
  month date,
  month_resets_in integer,
  burst_used integer,
  burst_started_at timestamptz,
  burst_resets_in integer
);

-- Grants as many of the asked calls as both limits allow. A refusal neither locks nor writes.
-- Rows are locked month first, then burst; callers charge in the order of their meters, so two batches never deadlock.
create function charge(
  month_meter text, month_limit integer, burst_meter text, burst_limit integer, calls integer, moment timestamptz
) returns charge
language plpgsql as $$
declare
  answer charge;
  burst_ends_at timestamptz;
begin
  answer.month := date_trunc('month', moment at time zone 'utc')::date;
  answer.month_resets_in := ceil(extract(epoch from (answer.month + interval '1 month') at time zone 'utc' - moment));
  answer.granted := 0;

  -- First a look, then, if anything can be granted, the same look with both rows locked.
  for attempt in 1 .. 2 loop
    if attempt = 1 then
      select used into answer.month_used from monthly_usage where meter = month_meter and month = answer.month;
      select started_at, used into answer.burst_started_at, answer.burst_used from burst_usage where meter = burst_meter;
    else
      insert into monthly_usage (meter, month, used) values (month_meter, answer.month, 0) on conflict do nothing;
      select used into answer.month_used from monthly_usage where meter = month_meter and month = answer.month for update;
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
    update monthly_usage set used = answer.month_used where meter = month_meter and month = answer.month;
    update burst_usage set started_at = answer.burst_started_at, used = answer.burst_used where meter = burst_meter;
  end if;
  return answer;
end
$$;

-- One batch of calls, by the hash of the key. A hash that no live key has gets no row.
-- `plans` is { plan: { calls_per_month, calls_per_minute } }; a key's own limits go before its plan's.
create function admit(hashes bytea[], calls integer[], plans jsonb, moment timestamptz)
returns table (
  secret_hash bytea, key_id uuid, account_id bigint, plan text, month_limit integer, burst_limit integer, charged charge
)
language plpgsql as $$
declare
  caller record;
begin
  for caller in
    select
      k.id, k.account_id, k.plan, k.secret_hash, asked.calls,
      'account:' || k.account_id as month_meter, 'key:' || k.id as burst_meter,
      coalesce(k.calls_per_month, (plans -> k.plan ->> 'calls_per_month')::integer) as month_limit,
      coalesce(k.calls_per_minute, (plans -> k.plan ->> 'calls_per_minute')::integer) as burst_limit
    from unnest(hashes, calls) as asked (hash, calls)
    join keys k on k.secret_hash = asked.hash and k.revoked_at is null
    order by ('account:' || k.account_id) collate "C", ('key:' || k.id) collate "C"
  loop
    secret_hash := caller.secret_hash;
    key_id := caller.id;
    account_id := caller.account_id;
    plan := caller.plan;
    month_limit := caller.month_limit;
    burst_limit := caller.burst_limit;
    charged := charge(
      caller.month_meter, caller.month_limit, caller.burst_meter, caller.burst_limit, caller.calls,
      coalesce(moment, clock_timestamp())
    );
    return next;
  end loop;
end
$$;

-- Gives calls back that ended in a failure of the service: to the month that paid, and to the minute if it still runs.
create function give_back(month_meters text[], months date[], burst_meters text[], burst_starts timestamptz[]) returns void
language plpgsql as $$
declare
  call record;
begin
  for call in
    select month_meter, month, burst_meter, burst_start, count(*)::integer as calls
    from unnest(month_meters, months, burst_meters, burst_starts) as given (month_meter, month, burst_meter, burst_start)
    group by month_meter, month, burst_meter, burst_start
    order by month_meter collate "C", burst_meter collate "C"
  loop
    update monthly_usage set used = greatest(0, used - call.calls) where meter = call.month_meter and month = call.month;
    update burst_usage set used = greatest(0, used - call.calls) where meter = call.burst_meter and started_at = call.burst_start;
  end loop;
end
$$;
