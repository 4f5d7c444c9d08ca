-- The account page: who may sign in, which plan an account pays for, and its calls day by day.

-- `owner` of an account is the e-mail address of whoever signs in to it (domain/emailAddress.ts writes it in one way), or any
-- name that an operator gave. The plan is that of its keys which have none of their own, and follows Stripe alone.
alter table accounts
  add column plan text not null default 'free' check (plan in ('free', 'pro', 'pro_plus', 'enterprise')),
  add column stripe_customer text unique,
  add column subscription_status text,
  add column subscription_ends_at timestamptz,
  -- Which look at Stripe the plan comes from; see apply_subscription.
  add column subscription_look bigint not null default 0;

alter table keys
  -- Null: the plan of the account. An operator's key has a plan of its own.
  alter column plan drop not null,
  add column name text not null default '';

-- Looks at Stripe are numbered before they begin. What a look saw is written unless a later look has already written: events
-- may come twice, late and in any order, since the look that follows the last change sees the last state.
create sequence subscription_looks;

create table stripe_events (
  id text primary key,
  received_at timestamptz not null
);

-- Secrets are kept as keyed hashes only: links (15 minutes, used once) and sessions.
create table sign_in_links (
  token_hash bytea primary key,
  address text not null,
  next_path text not null,
  expires_at timestamptz not null
);

create index sign_in_links_by_address on sign_in_links (address);

create table sessions (
  token_hash bytea primary key,
  account_id bigint not null references accounts (id),
  created_at timestamptz not null,
  expires_at timestamptz not null
);

create index sessions_by_account on sessions (account_id);

-- How often something was tried since the window began.
create table tries (
  meter text primary key,
  used integer not null,
  ends_at timestamptz not null
);

-- Takes one try from each meter, in the given order, up to the first that has none left. `asked` is [{ meter, most, seconds }].
-- Returns 0, or in how many seconds the refusing meter begins anew. Callers name the meters of one kind in one order (network,
-- then address), so that two of them never deadlock.
create function take_tries(asked jsonb, moment timestamptz) returns integer
language plpgsql as $$
declare
  one record;
begin
  for one in
    select item ->> 'meter' as meter, (item ->> 'most')::integer as most, (item ->> 'seconds')::integer as seconds
    from jsonb_array_elements(asked) with ordinality as listed (item, place)
    order by place
  loop
    insert into tries as t (meter, used, ends_at)
    values (one.meter, 1, moment + make_interval(secs => one.seconds))
    on conflict (meter) do update
    set
      used = case when t.ends_at <= moment then 1 else t.used + 1 end,
      ends_at = case when t.ends_at <= moment then excluded.ends_at else t.ends_at end
    where t.ends_at <= moment or t.used < one.most;
    if not found then
      return (select greatest(1, ceil(extract(epoch from ends_at - moment)))::integer from tries where meter = one.meter);
    end if;
  end loop;
  return 0;
end
$$;

-- The calls of each day stand in the row of the month: written with it, by the statement that grants them, so they always add
-- up to it, and cost no row, lock or index of their own. What was used before this migration has no day.
alter table monthly_usage
  add column days integer[] not null default array_fill(0, array[31]);

-- Names what paid: its month is told by it.
alter type charge rename attribute month to day;

create or replace function charge(
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

-- As before, with the plan of the account for a key that has none of its own (a look-up, not a join: a third table in the join
-- takes 150 µs more to plan, and the serving pools plan every time).
create or replace function admit(hashes bytea[], calls integer[], plans jsonb, moment timestamptz)
returns table (
  secret_hash bytea, key_id uuid, account_id bigint, plan text, month_limit integer, burst_limit integer, charged charge
)
language plpgsql as $$
declare
  caller record;
begin
  for caller in
    select
      k.id, k.account_id, k.secret_hash, k.calls_per_month, k.calls_per_minute, asked.calls,
      coalesce(k.plan, (select a.plan from accounts a where a.id = k.account_id)) as plan,
      'account:' || k.account_id as month_meter, 'key:' || k.id as burst_meter
    from unnest(hashes, calls) as asked (hash, calls)
    join keys k on k.secret_hash = asked.hash and k.revoked_at is null
    order by ('account:' || k.account_id) collate "C", ('key:' || k.id) collate "C"
  loop
    secret_hash := caller.secret_hash;
    key_id := caller.id;
    account_id := caller.account_id;
    plan := caller.plan;
    month_limit := coalesce(caller.calls_per_month, (plans -> caller.plan ->> 'calls_per_month')::integer);
    burst_limit := coalesce(caller.calls_per_minute, (plans -> caller.plan ->> 'calls_per_minute')::integer);
    charged := charge(
      caller.month_meter, month_limit, caller.burst_meter, burst_limit, caller.calls,
      coalesce(moment, clock_timestamp())
    );
    return next;
  end loop;
end
$$;

drop function give_back(text[], date[], text[], timestamptz[]);

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
