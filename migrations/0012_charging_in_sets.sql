-- One charge alone, as it was but for a short way at its beginning.
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

-- The keys of a batch are charged together: one look-up of all of them, one update of their months, one of their minutes
-- (docs/decisions/0003-counting.md). `admit`, which charges one after the other, stays for processes of the version before.

-- One batch of calls, by the hash of the key; `place` is that of the hash. A hash that no live key has gets no row.
-- `plans` is { plan: { calls_per_month, calls_per_minute } }; a key's own limits go before its plan's.
--
-- What is plain is done at once: the counters have rows, and all that a caller asks for fits. A refusal neither locks nor writes.
-- What is not plain is charged one by one (`charge`), but only where the batch has locked nothing yet; otherwise `granted` is null,
-- and the caller asks for it again. Rows are locked in the order of `charge` and `give_back`: months by meter, each before its
-- minutes. That is the order of `asked`, which nested loops keep: other plans of the updates would read all counters, as they do while the
-- tables have no statistics, and are off.
-- Plans are made once a session: the serving pools plan every time, which takes longer than the work. A plan whose cost is that of
-- what is off (PostgreSQL before 18) would be compiled at every call, for half a second; so no compiling either.
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
      order by k.month_meter collate "C", k.burst_meter collate "C"
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
    ), minutes as (
      update burst_usage b
      set
        started_at = case when b.started_at > a_minute_ago and b.used > 0 then b.started_at else present end,
        used = case when b.started_at > a_minute_ago then b.used else 0 end + a.calls
      from asked a
      join months on months.meter = a.month_meter
      where
        b.meter = a.burst_meter and a.started_at is not null and a.minute_used + a.calls <= a.burst_limit
        and case when b.started_at > a_minute_ago then b.used else 0 end + a.calls <= a.burst_limit
      returning a.place, b.started_at, months.used_before
    )
    select
      a.*, minutes.place is not null as is_granted, minutes.started_at as granted_at,
      (select d.version from data_version d where d.is_only) as version,
      case
        when minutes.place is not null then minutes.used_before
        else coalesce((select u.used from monthly_usage u where u.meter = a.month_meter and u.month = this_month), 0)
      end as used_before,
      -- Whether the month was charged, and then the minute was found to be full.
      minutes.place is null and a.started_at is not null and a.minute_used + a.calls <= a.burst_limit
        and a.month_meter in (select meter from months) as is_month_charged
    from asked a
    left join minutes on minutes.place = a.place
    order by is_granted desc, is_month_charged desc, a.month_meter collate "C", a.burst_meter collate "C"
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
