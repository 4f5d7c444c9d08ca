-- Keys, and the two counters that every call is charged to: the account's month and the key's minute.

create table accounts (
  id bigint generated always as identity primary key,
  -- The e-mail address of a person who signs in (domain/accounts/emailAddress.ts normalizes it), or any name that an operator gave.
  owner text unique,
  created_at timestamptz not null default now(),
  -- The plan of the account's keys that have none of their own. Stripe changes it, or an operator.
  plan text not null default 'free' check (plan in ('free', 'pro', 'pro_plus', 'enterprise')),
  stripe_customer text unique,
  subscription_status text,
  subscription_ends_at timestamptz,
  -- The number of the look at Stripe that the plan comes from (0005_accounts.sql).
  subscription_look bigint not null default 0,
  -- Who set the plan by hand (`surplus accounts set-plan`), and when; null for a plan from Stripe.
  plan_set_by text,
  plan_set_at timestamptz,
  -- When the account returns to Free; null: never by itself.
  plan_until timestamptz,
  -- When mails of its saved searches are sent, in its local time: the hour of digests, and the hours without mail (equal: none).
  time_zone text not null default 'America/New_York' check (timezone(time_zone, timestamptz 'epoch') is not null),
  digest_hour smallint not null default 8 check (digest_hour between 0 and 23),
  quiet_from smallint not null default 0 check (quiet_from between 0 and 23),
  quiet_until smallint not null default 0 check (quiet_until between 0 and 23),
  constraint only_a_set_plan_ends check (plan_set_by is not null or plan_until is null)
);

create index accounts_by_plan_until on accounts (plan_until) where plan_until is not null;

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
  -- From this moment on the key is refused; in the future for a key that was rotated and still works for some hours.
  revoked_at timestamptz,
  name text not null default '',
  -- Until when the session that made the key may see it: the key is derived from the token of that session, and never stored.
  shown_until timestamptz
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

-- The calls of each key by operation. A batch appends them, in the statement that grants, because an insert waits for no other batch; rows
-- with a negative number give back. Every minute they are added to `operation_usage`; a reader sums both.
create table operation_calls (
  key_id uuid not null,
  month date not null,
  -- An operationId of the contract.
  operation text not null,
  calls integer not null
);

create table operation_usage (
  key_id uuid not null,
  month date not null,
  operation text not null,
  calls integer not null,
  primary key (key_id, month, operation)
);

-- Locks the counters of the callers whose month and minute are not full, and makes those that are missing; full ones are only read. All
-- months, then all minutes, each in the order of their meters, so that batches and `give_back` never deadlock.
create function lock_counters(
  month_meters text[], month_limits integer[], burst_meters text[], burst_limits integer[], moment timestamptz,
  out open_months text[], out open_minutes text[]
)
language plpgsql as $$
declare
  this_month date := date_trunc('month', moment at time zone 'utc');
begin
  select array_agg(distinct month_meter), array_agg(burst_meter)
  into open_months, open_minutes
  from unnest(month_meters, month_limits, burst_meters, burst_limits) as caller (month_meter, month_limit, burst_meter, burst_limit)
  left join monthly_usage m on m.meter = month_meter and m.month = this_month
  left join burst_usage b on b.meter = burst_meter and b.started_at > moment - interval '1 minute'
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

-- Charges a batch: to each caller as many of its calls as its month and its minute have left. Returns one row for each caller.
--
-- The statement begins after the counters are locked, so it reads what is locked. Callers that share a month are granted in the order of
-- their limits (the highest first), then of the batch: a caller is refused only when what was granted before it has reached its own limit.
-- `operation_lists` has the operations of each caller's calls, in their order, with commas between them; '' for one that is not counted.
create function charge_calls(
  month_meters text[], month_limits integer[], burst_meters text[], burst_limits integer[], calls integer[], operation_lists text[],
  moment timestamptz
) returns table (burst_meter text, granted integer, month_used integer, burst_started_at timestamptz)
language plpgsql as $$
#variable_conflict use_column
declare
  this_month date := date_trunc('month', moment at time zone 'utc');
  today integer := extract(day from moment at time zone 'utc');
  open_months text[];
  open_minutes text[];
begin
  select l.open_months, l.open_minutes
  into open_months, open_minutes
  from lock_counters(month_meters, month_limits, burst_meters, burst_limits, moment) as l;
  return query
  with month as materialized (select meter, used from monthly_usage where meter = any (month_meters) and month = this_month),
  minute as materialized (
    select meter, used, started_at
    from burst_usage
    where meter = any (burst_meters) and started_at > moment - interval '1 minute' and used > 0
  ), wanted as (
    select
      caller.*, coalesce(month.used, 0) as month_used, coalesce(minute.used, 0) as burst_used, coalesce(minute.started_at, moment) as started_at,
      case when burst_meter = any (open_minutes) then greatest(0, least(calls, burst_limit - coalesce(minute.used, 0))) else 0 end as wanted
    from unnest(month_meters, month_limits, burst_meters, burst_limits, calls, operation_lists) with ordinality
      as caller (month_meter, month_limit, burst_meter, burst_limit, calls, operations, position)
    left join month on month.meter = month_meter
    left join minute on minute.meter = burst_meter
  ), summed as (
    select *, sum(wanted) over (partition by month_meter order by month_limit desc, position) as wanted_so_far from wanted
  ), charged as (
    select *, greatest(0, least(wanted, month_limit - month_used - wanted_so_far + wanted))::integer as granted from summed
  ), charged_months as (
    update monthly_usage u
    set used = u.used + due.calls, days[today] = u.days[today] + due.calls
    from (select month_meter, sum(granted)::integer as calls from charged where granted > 0 group by month_meter) as due
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
  select burst_meter, granted, greatest(month_used, least(month_used + wanted_so_far, month_limit))::integer, started_at
  from charged;
end
$$;

-- Calls that were given back: the id of each `give_back`, kept for an hour.
create table given_back (
  id uuid primary key,
  given_at timestamptz not null default now()
);

-- Gives calls back to the month and day that they were charged to, and, where `burst_meter` is not null, to the minute if it still runs.
-- A second run with the same id changes nothing, so the caller may repeat it when the answer was lost after the commit.
create function give_back(give_back_id uuid, given jsonb) returns void
language plpgsql as $$
declare
  call record;
  day_of_month integer;
begin
  insert into given_back (id) values (give_back_id) on conflict do nothing;
  if not found then
    return;
  end if;
  insert into operation_calls (key_id, month, operation, calls)
  select key_id, date_trunc('month', day::timestamp)::date, operation, -count(*)
  from jsonb_to_recordset(given) as g (key_id uuid, day date, operation text)
  where key_id is not null and operation <> ''
  group by key_id, day, operation;
  -- In the order in which `charge_calls` locks months; a minute is only ever locked after its month.
  for call in
    select month_meter, day, burst_meter, burst_started_at, count(*)::integer as calls
    from jsonb_to_recordset(given) as g (month_meter text, day date, burst_meter text, burst_started_at timestamptz)
    group by month_meter, day, burst_meter, burst_started_at
    order by month_meter, burst_meter
  loop
    day_of_month := extract(day from call.day);
    update monthly_usage u
    set used = greatest(0, u.used - call.calls), days[day_of_month] = greatest(0, u.days[day_of_month] - call.calls)
    where u.meter = call.month_meter and u.month = date_trunc('month', call.day::timestamp)::date;
    update burst_usage u
    set used = greatest(0, u.used - call.calls)
    where u.meter = call.burst_meter and u.started_at = call.burst_started_at;
  end loop;
end
$$;
