--
-- PostgreSQL database dump
--


-- Dumped from database version 15.18 (Debian 15.18-0+deb12u1)
-- Dumped by pg_dump version 15.18 (Debian 15.18-0+deb12u1)

SET statement_timeout = 0;
SET lock_timeout = 0;
SET idle_in_transaction_session_timeout = 0;
SET client_encoding = 'UTF8';
SET standard_conforming_strings = on;
SELECT pg_catalog.set_config('search_path', '', false);
SET check_function_bodies = false;
SET xmloption = content;
SET client_min_messages = warning;
SET row_security = off;

--
-- Name: auction_day(timestamp with time zone); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.auction_day(moment timestamp with time zone) RETURNS integer
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN CASE WHEN isfinite(moment) THEN (floor(((EXTRACT(epoch FROM (moment AT TIME ZONE 'utc'::text)) - (36000)::numeric) / (86400)::numeric)))::integer ELSE NULL::integer END;


--
-- Name: calculate_mail_again(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.calculate_mail_again() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
begin
  new.mail_due_at := new.mail_since;
  return new;
end
$$;


--
-- Name: change_data_version(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.change_data_version() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
begin
  update data_version set version = version + 1;
  return null;
end
$$;


--
-- Name: change_data_version_if_any(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.change_data_version_if_any() RETURNS trigger
    LANGUAGE plpgsql
    SET enable_nestloop TO 'off'
    AS $$
declare
  other_offers boolean;
  other_scores boolean;
begin
  if not exists (select from changed) then
    return null;
  end if;
  select
    bool_or(
      (
        before.is_open, before.starts_at, before.ends_at, before.category, before.state, before.source, before.price_cents,
        before.num_bids, before.offer_kind, before.buy_now_cents is null, before.latitude, before.longitude, before.title, before.description
      ) is distinct from (
        after.is_open, after.starts_at, after.ends_at, after.category, after.state, after.source, after.price_cents,
        after.num_bids, after.offer_kind, after.buy_now_cents is null, after.latitude, after.longitude, after.title, after.description
      )
    ),
    bool_or(
      (before.flip_score, before.approximate_value_cents, before.expected_profit_cents)
      is distinct from (after.flip_score, after.approximate_value_cents, after.expected_profit_cents)
    )
  into other_offers, other_scores
  from before_change before
  join changed after using (id)
  where (before.is_open and before.ends_at > now())
  or (after.is_open and after.ends_at > now());
  update data_version
  set
    version = version + 1,
    offers = offers + case when other_offers then 1 else 0 end,
    scores = scores + case when other_scores then 1 else 0 end;
  return null;
end
$$;


--
-- Name: charge_calls(text[], integer[], text[], integer[], integer[], text[], timestamp with time zone); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.charge_calls(month_meters text[], month_limits integer[], burst_meters text[], burst_limits integer[], calls integer[], operation_lists text[], moment timestamp with time zone) RETURNS TABLE(burst_meter text, granted integer, month_used integer, burst_started_at timestamp with time zone)
    LANGUAGE plpgsql
    AS $$
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


--
-- Name: count_added_lots(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.count_added_lots() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
begin
  update data_version
  set
    version = version + 1,
    offers = offers + case when exists (select from added where is_open) then 1 else 0 end;
  return null;
end
$$;


--
-- Name: count_alerts(bigint); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.count_alerts(of_account bigint, OUT searches bigint, OUT endpoints bigint) RETURNS record
    LANGUAGE plpgsql
    AS $$
begin
  perform from accounts where id = of_account for no key update;
  searches := (select count(*) from saved_searches where account_id = of_account);
  endpoints := (select count(*) from alert_endpoints where account_id = of_account);
end
$$;


--
-- Name: count_removed_lots(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.count_removed_lots() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
begin
  update data_version set version = version + 1, offers = offers + 1;
  return null;
end
$$;


--
-- Name: drop_months_of_changes(timestamp with time zone, integer, text[]); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.drop_months_of_changes(moment timestamp with time zone, days integer, kept text[], OUT months integer, OUT changes bigint) RETURNS record
    LANGUAGE plpgsql
    SET lock_timeout TO '50ms'
    AS $_$
declare
  name text;
  held bigint;
begin
  months := 0;
  changes := 0;
  for name in
    select c.relname
    from pg_inherits i
    join pg_class c on c.oid = i.inhrelid
    where i.inhparent = 'lot_changes'::regclass
    and c.relname ~ '^lot_changes_\d{4}_\d\d$'
    and to_date(right(c.relname, 7), 'YYYY_MM') + interval '1 month' <= (moment - make_interval(hours => 24 * days)) at time zone 'utc'
    and replace(right(c.relname, 7), '_', '-') <> all (kept)
  loop
    execute format('select count(*) from %I', name) into held;
    execute format('drop table %I', name);
    months := months + 1;
    changes := changes + held;
  end loop;
exception
  when lock_not_available then
    months := 0;
    changes := 0;
end
$_$;


--
-- Name: give_back(uuid, jsonb); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.give_back(give_back_id uuid, given jsonb) RETURNS void
    LANGUAGE plpgsql
    AS $$
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


--
-- Name: keep_month_of_changes(timestamp with time zone); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.keep_month_of_changes(moment timestamp with time zone) RETURNS void
    LANGUAGE plpgsql
    AS $$
declare
  month timestamptz := date_trunc('month', moment, 'UTC');
  name text := 'lot_changes_' || to_char(month at time zone 'utc', 'YYYY_MM');
begin
  if to_regclass(name) is not null then
    return;
  end if;
  lock table lot_changes in share update exclusive mode;
  if to_regclass(name) is null then
    execute format('create table %I (like lot_changes including constraints)', name);
    execute format(
      'alter table lot_changes attach partition %I for values from (%L) to (%L)',
      name, month, date_trunc('month', month + interval '40 days', 'UTC')
    );
  end if;
end
$$;


SET default_tablespace = '';

SET default_table_access_method = heap;

--
-- Name: data_version; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.data_version (
    is_only boolean DEFAULT true NOT NULL,
    version bigint NOT NULL,
    offers bigint DEFAULT 1 NOT NULL,
    scores bigint DEFAULT 1 NOT NULL,
    last_change bigint DEFAULT 0 NOT NULL,
    kind text DEFAULT 'live'::text NOT NULL,
    CONSTRAINT data_version_is_only_check CHECK (is_only),
    CONSTRAINT data_version_kind_check CHECK ((kind = ANY (ARRAY['live'::text, 'demo'::text])))
)
WITH (fillfactor='50');


--
-- Name: last_change(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.last_change() RETURNS bigint
    LANGUAGE sql STABLE
    RETURN (SELECT data_version.last_change FROM public.data_version);


--
-- Name: lock_counters(text[], integer[], text[], integer[], timestamp with time zone); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.lock_counters(month_meters text[], month_limits integer[], burst_meters text[], burst_limits integer[], moment timestamp with time zone, OUT open_months text[], OUT open_minutes text[]) RETURNS record
    LANGUAGE plpgsql
    AS $$
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


--
-- Name: log_changed_lots(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.log_changed_lots() RETURNS trigger
    LANGUAGE plpgsql
    SET enable_nestloop TO 'off'
    SET jit TO 'off'
    AS $$
begin
  perform log_changes(array(
    select row(
      null, after.id, null, kind, coalesce(after.final_bid_cents, after.current_bid_cents), after.num_bids, after.ends_at,
      coalesce(
        case kind
          when 'bid' then before.current_bid_cents > coalesce(after.current_bid_cents, 0)
          when 'price' then after.buy_now_cents < before.buy_now_cents
            or (after.current_bid_cents is null and after.starting_bid_cents < before.starting_bid_cents)
        end,
        false
      ),
      case kind when 'score' then before.flip_score end,
      case kind when 'score' then before.approximate_value_cents end,
      case kind
        when 'bid' then nullif(before.price_cents, after.price_cents)
        when 'price' then coalesce(nullif(before.price_cents, after.price_cents), nullif(before.buy_now_cents, after.buy_now_cents))
      end,
      case when has_moved then before.category end,
      case when has_moved then before.state end
    )::lot_changes
    from before_change before
    join changed after using (id)
    cross join unnest(case
      when before.is_open and after.is_open then array[
        case
          when (before.current_bid_cents, before.num_bids) is distinct from (after.current_bid_cents, after.num_bids) then 'bid'
        end,
        case when before.ends_at <> after.ends_at then 'end_moved' end,
        case
          when (before.starting_bid_cents, before.buy_now_cents) is distinct from (after.starting_bid_cents, after.buy_now_cents)
          then 'price'
        end,
        case
          when (
            before.title, before.description, before.category, before.item, before.quantity, before.vehicle_year,
            before.vehicle_make, before.vehicle_model, before.state, before.city, before.zip, before.condition_grade,
            before.image_url, before.source_url, before.starts_at, before.offer_kind
          ) is distinct from (
            after.title, after.description, after.category, after.item, after.quantity, after.vehicle_year,
            after.vehicle_make, after.vehicle_model, after.state, after.city, after.zip, after.condition_grade,
            after.image_url, after.source_url, after.starts_at, after.offer_kind
          )
          then 'details'
        end,
        case
          when (before.logged_score, before.logged_value_cents, before.value_grade)
            is distinct from (after.logged_score, after.logged_value_cents, after.value_grade)
          then 'score'
        end
      ]
      when after.is_open then array['reopened']
      -- Of a lot that has ended, only what follows an earlier change: the others were never on offer. The limit makes it a look-up.
      when before.is_open or (
        (before.outcome, before.final_bid_cents) is distinct from (after.outcome, after.final_bid_cents)
        and (select true from lot_changes earlier where earlier.lot_id = after.id limit 1)
      )
      then array[coalesce(after.outcome, 'ended')]
    end) as kind
    cross join lateral (
      select kind = 'details' and (before.category, before.state) is distinct from (after.category, after.state)
    ) as moved (has_moved)
    where kind is not null
  ));
  return null;
end
$$;


--
-- Name: lot_changes; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.lot_changes (
    seq bigint NOT NULL,
    lot_id uuid NOT NULL,
    observed_at timestamp with time zone NOT NULL,
    kind text NOT NULL,
    current_bid_cents bigint,
    num_bids integer NOT NULL,
    ends_at timestamp with time zone NOT NULL,
    fell boolean NOT NULL,
    score_before smallint,
    value_before_cents bigint,
    price_before_cents bigint,
    category_before text,
    state_before text,
    CONSTRAINT lot_changes_kind_check CHECK ((kind = ANY (ARRAY['listed'::text, 'bid'::text, 'end_moved'::text, 'price'::text, 'details'::text, 'withdrawn'::text, 'ended'::text, 'sold'::text, 'unsold'::text, 'reopened'::text, 'score'::text])))
)
PARTITION BY RANGE (observed_at);


--
-- Name: log_changes(public.lot_changes[]); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.log_changes(changes public.lot_changes[]) RETURNS void
    LANGUAGE plpgsql
    AS $$
declare
  moment timestamptz := coalesce(nullif(current_setting('surplus.observed_at', true), '')::timestamptz, now());
  last bigint;
begin
  if cardinality(changes) = 0 then
    return;
  end if;
  update data_version set last_change = last_change + cardinality(changes) returning last_change into last;
  perform keep_month_of_changes(moment);
  insert into lot_changes
  select last - cardinality(changes) + position, lot_id, moment, kind, current_bid_cents, num_bids, ends_at, fell,
    score_before, value_before_cents, price_before_cents, category_before, state_before
  from unnest(changes) with ordinality as change (
    seq, lot_id, observed_at, kind, current_bid_cents, num_bids, ends_at, fell, score_before, value_before_cents,
    price_before_cents, category_before, state_before, position
  );
end
$$;


--
-- Name: log_new_lots(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.log_new_lots() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
begin
  perform log_changes(array(
    select row(null, id, null, 'listed', current_bid_cents, num_bids, ends_at, false, null, null, null, null, null)::lot_changes
    from added
    where is_open
  ));
  return null;
end
$$;


--
-- Name: log_score(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.log_score() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
begin
  if num_nulls(old.logged_score, new.flip_score) = 1 or abs(new.flip_score - old.logged_score) >= 5 or exists (
    select
    from saved_searches
    where query ? 'min_flip_score'
    and not is_paused
    and (query ->> 'min_flip_score')::integer > least(old.flip_score, new.flip_score)
    and (query ->> 'min_flip_score')::integer <= greatest(old.flip_score, new.flip_score)
  ) then
    new.logged_score := new.flip_score;
  end if;
  if num_nulls(old.logged_value_cents, new.approximate_value_cents) = 1
  or abs(new.approximate_value_cents - old.logged_value_cents) >= 0.2 * old.logged_value_cents
  or exists (
    select
    from saved_searches
    where query ? 'value_min'
    and not is_paused
    and (query ->> 'value_min')::numeric > least(old.approximate_value_cents, new.approximate_value_cents) / 100.0
    and (query ->> 'value_min')::numeric <= greatest(old.approximate_value_cents, new.approximate_value_cents) / 100.0
  ) then
    new.logged_value_cents := new.approximate_value_cents;
  end if;
  return new;
end
$$;


--
-- Name: lot_groups(uuid[], uuid[]); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.lot_groups(titles uuid[], vehicles uuid[]) RETURNS TABLE(lot_id uuid, group_key text, is_certain boolean)
    LANGUAGE plpgsql STABLE
    SET plan_cache_mode TO 'force_custom_plan'
    AS $$
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


--
-- Name: lot_id(text, text); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.lot_id(source text, source_id text) RETURNS uuid
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    RETURN (OVERLAY(OVERLAY(md5(('\x6ba7b8119dad11d180b400c04fd430c8'::bytea || (replace(((source || ':'::text) || source_id), '\'::text, '\\'::text))::bytea)) PLACING '3'::text FROM 13) PLACING '8'::text FROM 17))::uuid;


--
-- Name: searchable(text); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.searchable(words text) RETURNS text
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    RETURN regexp_replace(words, '[^[:alnum:] ]+|(?<=[[:alpha:]])(?=[[:digit:]])|(?<=[[:digit:]])(?=[[:alpha:]])'::text, ' '::text, 'g'::text);


--
-- Name: lot_search(text, text, text, text, text, text, boolean); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.lot_search(title text, item text, read text, describing text, place text, source_id text, is_searched boolean) RETURNS tsvector
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN CASE WHEN is_searched THEN ((((setweight(to_tsvector('english'::regconfig, public.searchable(title)), 'A'::"char") || setweight(to_tsvector('english'::regconfig, ((public.searchable(((read || ' '::text) || item)) || ' '::text) || replace(item, '-'::text, ''::text))), 'B'::"char")) || setweight(to_tsvector('english'::regconfig, public.searchable(COALESCE(describing, ''::text))), 'C'::"char")) || setweight(to_tsvector('english'::regconfig, public.searchable(place)), 'D'::"char")) || setweight(to_tsvector('english'::regconfig, regexp_replace(replace(source_id, '-'::text, ''::text), '[^[:alnum:]]+'::text, ''::text, 'g'::text)), 'D'::"char")) ELSE NULL::tsvector END;


--
-- Name: lot_status(text, timestamp with time zone, timestamp with time zone, timestamp with time zone); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.lot_status(outcome text, starts_at timestamp with time zone, ends_at timestamp with time zone, moment timestamp with time zone) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN CASE WHEN (outcome IS NOT NULL) THEN outcome WHEN (ends_at <= moment) THEN 'ended'::text WHEN (starts_at > moment) THEN 'upcoming'::text ELSE 'live'::text END;


--
-- Name: accounts; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.accounts (
    id bigint NOT NULL,
    owner text,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    plan text DEFAULT 'free'::text NOT NULL,
    stripe_customer text,
    subscription_status text,
    subscription_ends_at timestamp with time zone,
    subscription_look bigint DEFAULT 0 NOT NULL,
    plan_set_by text,
    plan_set_at timestamp with time zone,
    plan_until timestamp with time zone,
    time_zone text DEFAULT 'America/New_York'::text NOT NULL,
    digest_hour smallint DEFAULT 8 NOT NULL,
    quiet_from smallint DEFAULT 0 NOT NULL,
    quiet_until smallint DEFAULT 0 NOT NULL,
    CONSTRAINT accounts_digest_hour_check CHECK (((digest_hour >= 0) AND (digest_hour <= 23))),
    CONSTRAINT accounts_plan_check CHECK ((plan = ANY (ARRAY['free'::text, 'pro'::text, 'pro_plus'::text, 'enterprise'::text]))),
    CONSTRAINT accounts_quiet_from_check CHECK (((quiet_from >= 0) AND (quiet_from <= 23))),
    CONSTRAINT accounts_quiet_until_check CHECK (((quiet_until >= 0) AND (quiet_until <= 23))),
    CONSTRAINT accounts_time_zone_check CHECK ((timezone(time_zone, '1970-01-01 00:00:00+00'::timestamp with time zone) IS NOT NULL)),
    CONSTRAINT only_a_set_plan_ends CHECK (((plan_set_by IS NOT NULL) OR (plan_until IS NULL)))
);


--
-- Name: saved_searches; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.saved_searches (
    id bigint NOT NULL,
    account_id bigint NOT NULL,
    name text NOT NULL,
    query jsonb NOT NULL,
    lot_id uuid,
    kinds text[] NOT NULL,
    cadence text NOT NULL,
    by_mail boolean DEFAULT true NOT NULL,
    by_file boolean DEFAULT false NOT NULL,
    endpoint_ids bigint[] DEFAULT '{}'::bigint[] NOT NULL,
    is_paused boolean DEFAULT false NOT NULL,
    feed_generation integer DEFAULT 1 NOT NULL,
    last_mail_at timestamp with time zone,
    mail_since timestamp with time zone,
    mail_due_at timestamp with time zone,
    since_change bigint DEFAULT public.last_change() NOT NULL,
    created_at timestamp with time zone NOT NULL,
    CONSTRAINT saved_searches_cadence_check CHECK ((cadence = ANY (ARRAY['instant'::text, 'daily'::text, 'weekly'::text]))),
    CONSTRAINT saved_searches_kinds_check CHECK (((kinds <@ ARRAY['new'::text, 'price_drop'::text, 'bid'::text, 'ending'::text, 'status'::text]) AND (cardinality(kinds) > 0)))
);


--
-- Name: next_mail_at(public.saved_searches, public.accounts, boolean, timestamp with time zone); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.next_mail_at(search public.saved_searches, owner public.accounts, at_once boolean, moment timestamp with time zone) RETURNS timestamp with time zone
    LANGUAGE plpgsql IMMUTABLE
    AS $$
declare
  earliest timestamptz := greatest(moment, search.last_mail_at + interval '15 minutes');
  here timestamp := earliest at time zone owner.time_zone;
  since timestamp := search.mail_since at time zone owner.time_zone;
  hours_from_quiet integer := (extract(hour from here)::integer - owner.quiet_from + 24) % 24;
  quiet_hours integer := (owner.quiet_until - owner.quiet_from + 24) % 24;
  weekly boolean := search.cadence = 'weekly';
  next timestamp;
begin
  if at_once then
    if hours_from_quiet >= quiet_hours then
      return earliest;
    end if;
    next := date_trunc('day', here) + make_interval(hours => owner.quiet_until);
    return (case when next > here then next else next + interval '1 day' end) at time zone owner.time_zone;
  end if;
  next := date_trunc(case when weekly then 'week' else 'day' end, since) + make_interval(hours => owner.digest_hour);
  return (
    case when next > since then next else next + case when weekly then interval '7 days' else interval '1 day' end end
  ) at time zone owner.time_zone;
end
$$;


--
-- Name: official_page(text, text, text); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.official_page(source_url text, slug text, public_url text) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN CASE WHEN (source_url = '/'::text) THEN ((public_url || '/listings/'::text) || slug) ELSE source_url END;


--
-- Name: queue_mails(jsonb, timestamp with time zone); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.queue_mails(plans jsonb, moment timestamp with time zone) RETURNS integer
    LANGUAGE plpgsql
    AS $$
declare
  due bigint[] := array(
    select id from saved_searches where mail_due_at <= moment order by mail_due_at limit 2000 for update skip locked
  );
  queued integer;
begin
  if cardinality(due) = 0 then
    return 0;
  end if;
  -- A statement of its own: it sees the matches of every search that is locked now.
  with judged as materialized (
    select
      s.id, s.account_id, s.mail_since, gen_random_uuid() as mail_id,
      case
        when s.by_mail and not s.is_paused
        then next_mail_at(
          s, a,
          (s.cadence = 'instant' and (plans -> a.plan -> 'alerts' ->> 'isInstant')::boolean) or (s.lot_id is not null and exists (
            select
            from alert_matches m
            where m.search_id = s.id and m.matched_at >= s.mail_since and m.mail_id is null and m.kind = 'ending'
          )),
          moment
        )
      end as next_at
    from saved_searches s
    join accounts a on a.id = s.account_id
    where s.id = any (due)
  ), listed as (
    update alert_matches m
    set mail_id = j.mail_id
    from judged j
    where m.search_id = j.id and m.matched_at >= j.mail_since and m.mail_id is null and j.next_at <= moment
    returning m.mail_id
  ), mails as (
    insert into alert_deliveries (id, account_id, search_id, kind, content, created_at, due_at)
    select mail_id, account_id, id, 'digest', jsonb_build_object('since', mail_since), moment, moment
    from judged
    where mail_id in (select mail_id from listed)
    returning id
  ), planned as (
    update saved_searches s
    set
      mail_since = case when j.next_at > moment then s.mail_since end,
      mail_due_at = case when j.next_at > moment then j.next_at end,
      last_mail_at = case when j.next_at <= moment then moment else s.last_mail_at end
    from judged j
    where s.id = j.id
  )
  select count(*) from mails into queued;
  return queued;
end
$$;


--
-- Name: regroup_changed_lots(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.regroup_changed_lots() RETURNS trigger
    LANGUAGE plpgsql
    SET enable_nestloop TO 'off'
    AS $$
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


--
-- Name: regroup_lots(uuid[], uuid[], uuid[]); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.regroup_lots(lot_ids uuid[], titles uuid[], vehicles uuid[]) RETURNS void
    LANGUAGE plpgsql
    AS $$
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


--
-- Name: regroup_new_lots(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.regroup_new_lots() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
begin
  perform regroup_lots(
    array(select id from new_lots),
    array(select distinct title_fingerprint from new_lots where title_fingerprint is not null),
    array(select distinct vehicle_fingerprint from new_lots where vehicle_fingerprint is not null)
  );
  return null;
end
$$;


--
-- Name: rfc3339(timestamp with time zone); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.rfc3339(moment timestamp with time zone) RETURNS text
    LANGUAGE sql STABLE PARALLEL SAFE
    RETURN CASE WHEN isfinite(moment) THEN to_char((moment AT TIME ZONE 'utc'::text), 'YYYY-MM-DD"T"HH24:MI:SS"Z"'::text) ELSE NULL::text END;


--
-- Name: settle_delivery(uuid, text, integer, integer, text, interval, text, timestamp with time zone); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.settle_delivery(delivery uuid, result text, status integer, milliseconds integer, answer text, wait interval, reason text, moment timestamp with time zone) RETURNS void
    LANGUAGE plpgsql
    AS $$
declare
  target bigint;
  endpoint alert_endpoints;
begin
  update alert_deliveries
  set
    attempts = attempts + 1,
    delivered_at = case when result = 'delivered' then moment end,
    due_at = moment + wait,
    leased_until = null
  where id = delivery and due_at is not null
  returning endpoint_id into target;
  if not found then
    return;
  end if;
  insert into alert_attempts (delivery_id, attempted_at, status, milliseconds, answer)
  values (delivery, moment, settle_delivery.status, settle_delivery.milliseconds, settle_delivery.answer);
  if result = 'delivered' then
    update alert_endpoints set failing_since = null, warned_at = null where id = target and failing_since is not null;
  end if;
  -- Locked, so that of several failures at once one sends the mail.
  select * into endpoint
  from alert_endpoints
  where id = target and disabled_at is null and result = 'failed'
  for update;
  if not found then
    return;
  end if;
  endpoint.failing_since := coalesce(endpoint.failing_since, moment);
  if endpoint.failing_since <= moment - interval '120 hours' then
    reason := coalesce(reason, 'Every message failed for 5 days.');
  end if;
  update alert_endpoints
  set
    failing_since = endpoint.failing_since,
    warned_at = case when endpoint.failing_since <= moment - interval '24 hours' then coalesce(warned_at, moment) end,
    disabled_at = case when reason is not null then moment end,
    disabled_reason = reason
  where id = target;
  insert into alert_deliveries (id, account_id, kind, content, created_at, due_at)
  select
    gen_random_uuid(), endpoint.account_id, 'endpoint',
    jsonb_build_object(
      'endpoint_id', target, 'url', endpoint.url, 'failing_since', rfc3339(endpoint.failing_since), 'disabled_reason', reason
    ),
    moment, moment
  where reason is not null
  or (endpoint.warned_at is null and endpoint.failing_since <= moment - interval '24 hours');
end
$$;


--
-- Name: slug_apart(text, text, text); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.slug_apart(slug text, source text, source_id text) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN ((slug || '-'::text) || "left"((public.lot_id(source, source_id))::text, 8));


--
-- Name: take_attempts(jsonb, timestamp with time zone); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.take_attempts(requested jsonb, moment timestamp with time zone) RETURNS integer
    LANGUAGE plpgsql
    AS $$
declare
  wait_seconds integer;
begin
  insert into attempts as a (meter, used, ends_at)
  select r.meter, 0, moment + make_interval(secs => r.seconds)
  from jsonb_to_recordset(requested) as r (meter text, seconds integer)
  order by r.meter
  on conflict (meter) do update
  set used = 0, ends_at = excluded.ends_at
  where a.ends_at <= moment;

  select max(greatest(1, ceil(extract(epoch from a.ends_at - moment)))) into wait_seconds
  from jsonb_to_recordset(requested) as r (meter text, most integer)
  join attempts a on a.meter = r.meter
  where a.used >= r.most;
  if wait_seconds is not null then
    return wait_seconds;
  end if;

  update attempts
  set used = used + 1
  where meter in (select r.meter from jsonb_to_recordset(requested) as r (meter text));
  return 0;
end
$$;


--
-- Name: title_fingerprint(text, text, timestamp with time zone); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.title_fingerprint(title text, state text, ends_at timestamp with time zone) RETURNS uuid
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN (md5(((((NULLIF(lower(regexp_replace(replace(title, ' '::text, ''::text), '[^[:alnum:]]+'::text, ''::text, 'g'::text)), ''::text) || ' '::text) || state) || ' '::text) || (public.auction_day(ends_at))::text)))::uuid;


--
-- Name: vehicle_fingerprint(text, timestamp with time zone); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.vehicle_fingerprint(words text, ends_at timestamp with time zone) RETURNS uuid
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN (md5(((upper("substring"(words, '(?i)\m[a-hj-npr-z0-9]{13}\d{4}\M'::text)) || ' '::text) || (public.auction_day(ends_at))::text)))::uuid;


--
-- Name: wait_for_mail(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.wait_for_mail() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
begin
  with waiting as (
    select s.id, first.matched_at, s.lot_id is not null and first.is_ending as is_urgent
    from saved_searches s
    join (
      select search_id, min(matched_at) as matched_at, bool_or(kind = 'ending') as is_ending
      from added
      group by search_id
    ) as first on first.search_id = s.id
    where s.by_mail
    order by s.id
    for update of s
  )
  update saved_searches s
  set
    mail_since = least(s.mail_since, waiting.matched_at),
    mail_due_at = case when waiting.is_urgent then waiting.matched_at else coalesce(s.mail_due_at, waiting.matched_at) end
  from waiting
  where s.id = waiting.id;
  return null;
end
$$;


--
-- Name: account_calls; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.account_calls (
    account_id bigint NOT NULL,
    minute timestamp with time zone NOT NULL,
    answered integer NOT NULL,
    refused integer NOT NULL
)
WITH (fillfactor='50');


--
-- Name: accounts_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

ALTER TABLE public.accounts ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.accounts_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);


--
-- Name: address_changes; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.address_changes (
    account_id bigint NOT NULL,
    new_address text NOT NULL,
    old_hash bytea,
    new_hash bytea,
    expires_at timestamp with time zone NOT NULL
);


--
-- Name: alert_attempts; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.alert_attempts (
    delivery_id uuid NOT NULL,
    attempted_at timestamp with time zone NOT NULL,
    status smallint,
    milliseconds integer NOT NULL,
    answer text NOT NULL
);


--
-- Name: alert_deliveries; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.alert_deliveries (
    id uuid NOT NULL,
    account_id bigint NOT NULL,
    search_id bigint,
    match_id bigint,
    endpoint_id bigint,
    lane bigint GENERATED ALWAYS AS (COALESCE(endpoint_id, (0)::bigint)) STORED NOT NULL,
    kind text NOT NULL,
    content jsonb,
    created_at timestamp with time zone NOT NULL,
    attempts smallint DEFAULT 0 NOT NULL,
    due_at timestamp with time zone,
    leased_until timestamp with time zone,
    delivered_at timestamp with time zone
);


--
-- Name: alert_endpoints; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.alert_endpoints (
    id bigint NOT NULL,
    account_id bigint NOT NULL,
    url text NOT NULL,
    secret text NOT NULL,
    old_secret text,
    old_secret_until timestamp with time zone,
    failing_since timestamp with time zone,
    warned_at timestamp with time zone,
    disabled_at timestamp with time zone,
    disabled_reason text,
    created_at timestamp with time zone NOT NULL
);


--
-- Name: alert_endpoints_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

ALTER TABLE public.alert_endpoints ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.alert_endpoints_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);


--
-- Name: alert_matches; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.alert_matches (
    id bigint NOT NULL,
    search_id bigint NOT NULL,
    lot_id uuid NOT NULL,
    kind text NOT NULL,
    value text NOT NULL,
    current_bid_cents bigint,
    num_bids integer NOT NULL,
    ends_at timestamp with time zone NOT NULL,
    former_price_cents bigint,
    observed_at timestamp with time zone NOT NULL,
    matched_at timestamp with time zone NOT NULL,
    mail_id uuid
);


--
-- Name: alert_matches_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

ALTER TABLE public.alert_matches ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.alert_matches_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);


--
-- Name: alert_progress; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.alert_progress (
    stream text NOT NULL,
    "position" bigint NOT NULL,
    CONSTRAINT alert_progress_stream_check CHECK ((stream = ANY (ARRAY['changes'::text, 'clock'::text])))
);


--
-- Name: appraisals; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.appraisals (
    lot_id uuid NOT NULL,
    estimated_value_cents bigint NOT NULL,
    all_in_cost_cents bigint,
    resale_margin_cents bigint,
    confidence double precision NOT NULL,
    sale_ids uuid[] NOT NULL,
    similarities double precision[] NOT NULL,
    flip_score smallint,
    factors jsonb,
    score_version text NOT NULL,
    price_kind text,
    scored_at timestamp with time zone NOT NULL,
    likely_low_cents bigint NOT NULL,
    likely_high_cents bigint NOT NULL,
    range_low_cents bigint NOT NULL,
    range_high_cents bigint NOT NULL,
    estimated_at timestamp with time zone NOT NULL,
    neighbor_factor double precision DEFAULT 1 NOT NULL
);


--
-- Name: attempts; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.attempts (
    meter text NOT NULL,
    used integer NOT NULL,
    ends_at timestamp with time zone NOT NULL
);


--
-- Name: burst_usage; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.burst_usage (
    meter text NOT NULL,
    started_at timestamp with time zone NOT NULL,
    used integer NOT NULL
)
WITH (fillfactor='50');


--
-- Name: demo_mails; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.demo_mails (
    id bigint NOT NULL,
    recipient text NOT NULL,
    subject text NOT NULL,
    content text NOT NULL,
    sent_at timestamp with time zone NOT NULL
);


--
-- Name: demo_mails_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

ALTER TABLE public.demo_mails ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.demo_mails_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);


--
-- Name: estimate_days; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.estimate_days (
    day date NOT NULL,
    entries integer NOT NULL,
    root text NOT NULL
);


--
-- Name: estimates; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.estimates (
    lot_id uuid NOT NULL,
    day date NOT NULL,
    estimated_value_cents bigint NOT NULL,
    likely_low_cents bigint NOT NULL,
    likely_high_cents bigint NOT NULL,
    range_low_cents bigint NOT NULL,
    range_high_cents bigint NOT NULL,
    nonce uuid DEFAULT gen_random_uuid() NOT NULL
);


--
-- Name: given_back; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.given_back (
    id uuid NOT NULL,
    given_at timestamp with time zone DEFAULT now() NOT NULL
);


--
-- Name: keys; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.keys (
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    account_id bigint NOT NULL,
    plan text,
    secret_hash bytea NOT NULL,
    hint text NOT NULL,
    calls_per_month integer,
    calls_per_minute integer,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    revoked_at timestamp with time zone,
    name text DEFAULT ''::text NOT NULL,
    shown_until timestamp with time zone,
    CONSTRAINT keys_calls_per_minute_check CHECK ((calls_per_minute >= 0)),
    CONSTRAINT keys_calls_per_month_check CHECK ((calls_per_month >= 0)),
    CONSTRAINT keys_plan_check CHECK ((plan = ANY (ARRAY['free'::text, 'pro'::text, 'pro_plus'::text, 'enterprise'::text])))
);


--
-- Name: loads; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.loads (
    id bigint NOT NULL,
    feed text NOT NULL,
    started_at timestamp with time zone NOT NULL,
    finished_at timestamp with time zone,
    state text DEFAULT 'running'::text NOT NULL,
    reason text,
    rows_read integer DEFAULT 0 NOT NULL,
    rows_taken integer DEFAULT 0 NOT NULL,
    rows_set_aside integer DEFAULT 0 NOT NULL,
    CONSTRAINT loads_state_check CHECK ((state = ANY (ARRAY['running'::text, 'done'::text, 'refused'::text])))
);


--
-- Name: loads_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

ALTER TABLE public.loads ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.loads_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);


--
-- Name: lot_changes_2026_11; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.lot_changes_2026_11 (
    seq bigint NOT NULL,
    lot_id uuid NOT NULL,
    observed_at timestamp with time zone NOT NULL,
    kind text NOT NULL,
    current_bid_cents bigint,
    num_bids integer NOT NULL,
    ends_at timestamp with time zone NOT NULL,
    fell boolean NOT NULL,
    score_before smallint,
    value_before_cents bigint,
    price_before_cents bigint,
    category_before text,
    state_before text,
    CONSTRAINT lot_changes_kind_check CHECK ((kind = ANY (ARRAY['listed'::text, 'bid'::text, 'end_moved'::text, 'price'::text, 'details'::text, 'withdrawn'::text, 'ended'::text, 'sold'::text, 'unsold'::text, 'reopened'::text, 'score'::text])))
);


--
-- Name: lots; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.lots (
    id uuid GENERATED ALWAYS AS (public.lot_id(source, source_id)) STORED NOT NULL,
    source text NOT NULL,
    source_id text NOT NULL,
    slug text NOT NULL,
    title text NOT NULL,
    description text,
    describing text,
    category text NOT NULL,
    item text,
    quantity integer,
    is_piece boolean DEFAULT true NOT NULL,
    vehicle_year integer,
    vehicle_make text,
    vehicle_model text,
    state text,
    city text,
    zip text,
    latitude double precision,
    longitude double precision,
    current_bid_cents bigint,
    buy_now_cents bigint,
    starting_bid_cents bigint,
    price_cents bigint GENERATED ALWAYS AS (COALESCE(current_bid_cents, starting_bid_cents, buy_now_cents)) STORED,
    num_bids integer DEFAULT 0 NOT NULL,
    offer_kind text DEFAULT 'auction'::text NOT NULL,
    condition_grade text,
    image_url text,
    source_url text NOT NULL,
    starts_at timestamp with time zone DEFAULT '-infinity'::timestamp with time zone NOT NULL,
    ends_at timestamp with time zone DEFAULT 'infinity'::timestamp with time zone NOT NULL,
    outcome text,
    is_open boolean NOT NULL,
    final_bid_cents bigint,
    price_basis text,
    sold_at timestamp with time zone,
    flip_score smallint,
    logged_score smallint,
    value_grade text,
    approximate_value_cents bigint,
    expected_profit_cents bigint,
    logged_value_cents bigint,
    observed_at timestamp with time zone NOT NULL,
    search tsvector GENERATED ALWAYS AS (public.lot_search(title, COALESCE(item, ''::text), ((((category || ' '::text) || COALESCE(vehicle_make, ''::text)) || ' '::text) || COALESCE(vehicle_model, ''::text)), describing, ((COALESCE(city, ''::text) || ' '::text) || COALESCE(state, ''::text)), source_id, is_open)) STORED,
    sold_words tsvector GENERATED ALWAYS AS (public.lot_search(title, COALESCE(item, ''::text), category, NULL::text, ''::text, ''::text, (sold_at IS NOT NULL))) STORED,
    duplicate_of uuid,
    title_fingerprint uuid GENERATED ALWAYS AS (public.title_fingerprint(title, state, ends_at)) STORED,
    vehicle_fingerprint uuid GENERATED ALWAYS AS (public.vehicle_fingerprint(((title || ' '::text) || COALESCE(description, ''::text)), ends_at)) STORED,
    CONSTRAINT lots_check CHECK (((outcome IS NULL) OR (NOT is_open))),
    CONSTRAINT lots_check1 CHECK (((sold_at IS NULL) = (price_basis IS NULL))),
    CONSTRAINT lots_check2 CHECK (((sold_at IS NULL) OR (final_bid_cents > 0))),
    CONSTRAINT lots_outcome_check CHECK ((outcome = ANY (ARRAY['sold'::text, 'unsold'::text, 'withdrawn'::text]))),
    CONSTRAINT lots_price_basis_check CHECK ((price_basis = ANY (ARRAY['awarded'::text, 'closed_high_bid'::text, 'last_observed'::text])))
)
WITH (fillfactor='85');


--
-- Name: migrations; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.migrations (
    name text NOT NULL,
    checksum text NOT NULL,
    applied_at timestamp with time zone DEFAULT now() NOT NULL
);


--
-- Name: monthly_usage; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.monthly_usage (
    meter text NOT NULL,
    month date NOT NULL,
    used integer NOT NULL,
    days integer[] DEFAULT array_fill(0, ARRAY[31]) NOT NULL
)
WITH (fillfactor='50');


--
-- Name: operation_calls; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.operation_calls (
    key_id uuid NOT NULL,
    month date NOT NULL,
    operation text NOT NULL,
    calls integer NOT NULL
);


--
-- Name: operation_usage; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.operation_usage (
    key_id uuid NOT NULL,
    month date NOT NULL,
    operation text NOT NULL,
    calls integer NOT NULL
);


--
-- Name: quota_check; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.quota_check (
    is_only boolean DEFAULT true NOT NULL,
    checked_at timestamp with time zone NOT NULL,
    CONSTRAINT quota_check_is_only_check CHECK (is_only)
);


--
-- Name: quota_mails; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.quota_mails (
    account_id bigint NOT NULL,
    month date NOT NULL,
    percent smallint NOT NULL,
    CONSTRAINT quota_mails_percent_check CHECK ((percent = ANY (ARRAY[80, 100])))
);


--
-- Name: sales; Type: VIEW; Schema: public; Owner: -
--

CREATE VIEW public.sales AS
 SELECT lots.id,
    lots.source,
    lots.source_id,
    lots.title,
    lots.category,
    lots.item,
    lots.state,
    lots.final_bid_cents,
    lots.num_bids,
    lots.price_basis,
    lots.sold_at,
    lots.source_url,
    lots.slug,
    lots.zip,
    lots.sold_words,
    lots.is_piece,
    lots.vehicle_year
   FROM public.lots
  WHERE ((lots.sold_at IS NOT NULL) AND (lots.duplicate_of IS NULL));


--
-- Name: sales_index_pieces; Type: TABLE; Schema: public; Owner: -
--

CREATE UNLOGGED TABLE public.sales_index_pieces (
    index_id bigint NOT NULL,
    piece integer NOT NULL,
    bytes bytea NOT NULL
);
ALTER TABLE ONLY public.sales_index_pieces ALTER COLUMN bytes SET STORAGE EXTERNAL;


--
-- Name: sales_indexes; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.sales_indexes (
    id bigint NOT NULL,
    as_of timestamp with time zone NOT NULL,
    score_version text NOT NULL,
    sales integer NOT NULL,
    sell_through jsonb NOT NULL,
    accuracy jsonb NOT NULL,
    bid_paths jsonb,
    chance jsonb DEFAULT '{"slope": 1, "offset": 0}'::jsonb NOT NULL,
    sales_changed integer DEFAULT 0 NOT NULL,
    finished_at timestamp with time zone
);


--
-- Name: sales_indexes_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

ALTER TABLE public.sales_indexes ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.sales_indexes_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);


--
-- Name: saved_searches_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

ALTER TABLE public.saved_searches ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.saved_searches_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);


--
-- Name: scoring_queue; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.scoring_queue (
    lot_id uuid NOT NULL,
    due_at timestamp with time zone NOT NULL,
    needs_estimate boolean NOT NULL,
    changes integer DEFAULT 1 NOT NULL
);


--
-- Name: sessions; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.sessions (
    token_hash bytea NOT NULL,
    id bigint NOT NULL,
    browser text DEFAULT ''::text NOT NULL,
    account_id bigint NOT NULL,
    created_at timestamp with time zone NOT NULL,
    expires_at timestamp with time zone NOT NULL
);


--
-- Name: sessions_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

ALTER TABLE public.sessions ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.sessions_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);


--
-- Name: set_aside_rows; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.set_aside_rows (
    load_id bigint NOT NULL,
    line integer NOT NULL,
    reason text NOT NULL,
    raw text NOT NULL
);


--
-- Name: sign_in_links; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.sign_in_links (
    token_hash bytea NOT NULL,
    address text NOT NULL,
    next_path text NOT NULL,
    expires_at timestamp with time zone NOT NULL
);


--
-- Name: sources; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.sources (
    source text NOT NULL,
    name text NOT NULL,
    homepage text,
    access text NOT NULL,
    time_zone text,
    premium_percent numeric,
    last_success_at timestamp with time zone,
    last_load_id bigint,
    last_live_rows integer,
    CONSTRAINT sources_premium_percent_check CHECK (((premium_percent >= (0)::numeric) AND (premium_percent <= (100)::numeric))),
    CONSTRAINT sources_source_check CHECK ((source ~ '^[a-z0-9][a-z0-9-]{0,63}$'::text))
);


--
-- Name: stripe_events; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.stripe_events (
    id text NOT NULL,
    received_at timestamp with time zone NOT NULL
);


--
-- Name: subscription_looks; Type: SEQUENCE; Schema: public; Owner: -
--

CREATE SEQUENCE public.subscription_looks
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;


--
-- Name: sweeps; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.sweeps (
    source text NOT NULL,
    tried_at timestamp with time zone,
    last_attempt_at timestamp with time zone,
    finished_at timestamp with time zone,
    outcome text,
    reason text,
    counted integer,
    failures integer DEFAULT 0 NOT NULL,
    wait_until timestamp with time zone,
    interval_seconds double precision,
    next_due_at timestamp with time zone,
    copy jsonb,
    loaded_at timestamp with time zone,
    CONSTRAINT sweeps_outcome_check CHECK ((outcome = ANY (ARRAY['done'::text, 'refused'::text, 'failed'::text, 'dropped'::text])))
);


--
-- Name: lot_changes_2026_11; Type: TABLE ATTACH; Schema: public; Owner: -
--

ALTER TABLE ONLY public.lot_changes ATTACH PARTITION public.lot_changes_2026_11 FOR VALUES FROM ('2026-11-01 00:00:00+00') TO ('2026-12-01 00:00:00+00');


--
-- Name: account_calls account_calls_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.account_calls
    ADD CONSTRAINT account_calls_pkey PRIMARY KEY (account_id, minute);


--
-- Name: accounts accounts_owner_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.accounts
    ADD CONSTRAINT accounts_owner_key UNIQUE (owner);


--
-- Name: accounts accounts_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.accounts
    ADD CONSTRAINT accounts_pkey PRIMARY KEY (id);


--
-- Name: accounts accounts_stripe_customer_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.accounts
    ADD CONSTRAINT accounts_stripe_customer_key UNIQUE (stripe_customer);


--
-- Name: address_changes address_changes_new_hash_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.address_changes
    ADD CONSTRAINT address_changes_new_hash_key UNIQUE (new_hash);


--
-- Name: address_changes address_changes_old_hash_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.address_changes
    ADD CONSTRAINT address_changes_old_hash_key UNIQUE (old_hash);


--
-- Name: address_changes address_changes_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.address_changes
    ADD CONSTRAINT address_changes_pkey PRIMARY KEY (account_id);


--
-- Name: alert_deliveries alert_deliveries_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.alert_deliveries
    ADD CONSTRAINT alert_deliveries_pkey PRIMARY KEY (id);


--
-- Name: alert_endpoints alert_endpoints_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.alert_endpoints
    ADD CONSTRAINT alert_endpoints_pkey PRIMARY KEY (id);


--
-- Name: alert_matches alert_matches_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.alert_matches
    ADD CONSTRAINT alert_matches_pkey PRIMARY KEY (id);


--
-- Name: alert_matches alert_matches_search_id_lot_id_kind_value_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.alert_matches
    ADD CONSTRAINT alert_matches_search_id_lot_id_kind_value_key UNIQUE (search_id, lot_id, kind, value);


--
-- Name: alert_progress alert_progress_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.alert_progress
    ADD CONSTRAINT alert_progress_pkey PRIMARY KEY (stream);


--
-- Name: appraisals appraisals_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.appraisals
    ADD CONSTRAINT appraisals_pkey PRIMARY KEY (lot_id);


--
-- Name: attempts attempts_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.attempts
    ADD CONSTRAINT attempts_pkey PRIMARY KEY (meter);


--
-- Name: burst_usage burst_usage_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.burst_usage
    ADD CONSTRAINT burst_usage_pkey PRIMARY KEY (meter);


--
-- Name: data_version data_version_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.data_version
    ADD CONSTRAINT data_version_pkey PRIMARY KEY (is_only);


--
-- Name: demo_mails demo_mails_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.demo_mails
    ADD CONSTRAINT demo_mails_pkey PRIMARY KEY (id);


--
-- Name: estimate_days estimate_days_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.estimate_days
    ADD CONSTRAINT estimate_days_pkey PRIMARY KEY (day);


--
-- Name: estimates estimates_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.estimates
    ADD CONSTRAINT estimates_pkey PRIMARY KEY (lot_id);


--
-- Name: given_back given_back_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.given_back
    ADD CONSTRAINT given_back_pkey PRIMARY KEY (id);


--
-- Name: keys keys_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.keys
    ADD CONSTRAINT keys_pkey PRIMARY KEY (id);


--
-- Name: keys keys_secret_hash_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.keys
    ADD CONSTRAINT keys_secret_hash_key UNIQUE (secret_hash);


--
-- Name: loads loads_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.loads
    ADD CONSTRAINT loads_pkey PRIMARY KEY (id);


--
-- Name: lot_changes lot_changes_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.lot_changes
    ADD CONSTRAINT lot_changes_pkey PRIMARY KEY (seq, observed_at);


--
-- Name: lot_changes_2026_11 lot_changes_2026_11_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.lot_changes_2026_11
    ADD CONSTRAINT lot_changes_2026_11_pkey PRIMARY KEY (seq, observed_at);


--
-- Name: lots lots_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.lots
    ADD CONSTRAINT lots_pkey PRIMARY KEY (id);


--
-- Name: lots lots_source_source_id_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.lots
    ADD CONSTRAINT lots_source_source_id_key UNIQUE (source, source_id);


--
-- Name: migrations migrations_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.migrations
    ADD CONSTRAINT migrations_pkey PRIMARY KEY (name);


--
-- Name: monthly_usage monthly_usage_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.monthly_usage
    ADD CONSTRAINT monthly_usage_pkey PRIMARY KEY (meter, month);


--
-- Name: operation_usage operation_usage_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.operation_usage
    ADD CONSTRAINT operation_usage_pkey PRIMARY KEY (key_id, month, operation);


--
-- Name: quota_check quota_check_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.quota_check
    ADD CONSTRAINT quota_check_pkey PRIMARY KEY (is_only);


--
-- Name: quota_mails quota_mails_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.quota_mails
    ADD CONSTRAINT quota_mails_pkey PRIMARY KEY (account_id, month, percent);


--
-- Name: sales_index_pieces sales_index_pieces_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.sales_index_pieces
    ADD CONSTRAINT sales_index_pieces_pkey PRIMARY KEY (index_id, piece);


--
-- Name: sales_indexes sales_indexes_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.sales_indexes
    ADD CONSTRAINT sales_indexes_pkey PRIMARY KEY (id);


--
-- Name: saved_searches saved_searches_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.saved_searches
    ADD CONSTRAINT saved_searches_pkey PRIMARY KEY (id);


--
-- Name: scoring_queue scoring_queue_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.scoring_queue
    ADD CONSTRAINT scoring_queue_pkey PRIMARY KEY (lot_id);


--
-- Name: sessions sessions_id_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.sessions
    ADD CONSTRAINT sessions_id_key UNIQUE (id);


--
-- Name: sessions sessions_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.sessions
    ADD CONSTRAINT sessions_pkey PRIMARY KEY (token_hash);


--
-- Name: set_aside_rows set_aside_rows_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.set_aside_rows
    ADD CONSTRAINT set_aside_rows_pkey PRIMARY KEY (load_id, line);


--
-- Name: sign_in_links sign_in_links_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.sign_in_links
    ADD CONSTRAINT sign_in_links_pkey PRIMARY KEY (token_hash);


--
-- Name: sources sources_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.sources
    ADD CONSTRAINT sources_pkey PRIMARY KEY (source);


--
-- Name: stripe_events stripe_events_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.stripe_events
    ADD CONSTRAINT stripe_events_pkey PRIMARY KEY (id);


--
-- Name: sweeps sweeps_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.sweeps
    ADD CONSTRAINT sweeps_pkey PRIMARY KEY (source);


--
-- Name: accounts_by_plan_until; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX accounts_by_plan_until ON public.accounts USING btree (plan_until) WHERE (plan_until IS NOT NULL);


--
-- Name: alert_attempts_by_delivery; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX alert_attempts_by_delivery ON public.alert_attempts USING btree (delivery_id, attempted_at);


--
-- Name: alert_attempts_by_moment; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX alert_attempts_by_moment ON public.alert_attempts USING brin (attempted_at);


--
-- Name: alert_deliveries_by_account; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX alert_deliveries_by_account ON public.alert_deliveries USING btree (account_id, created_at DESC);


--
-- Name: alert_deliveries_by_endpoint; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX alert_deliveries_by_endpoint ON public.alert_deliveries USING btree (endpoint_id, created_at DESC, id DESC) WHERE (endpoint_id IS NOT NULL);


--
-- Name: alert_deliveries_by_match; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX alert_deliveries_by_match ON public.alert_deliveries USING btree (match_id) WHERE (match_id IS NOT NULL);


--
-- Name: alert_deliveries_by_search; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX alert_deliveries_by_search ON public.alert_deliveries USING btree (search_id) WHERE (search_id IS NOT NULL);


--
-- Name: alert_deliveries_due; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX alert_deliveries_due ON public.alert_deliveries USING btree (lane, due_at) WHERE (due_at IS NOT NULL);


--
-- Name: alert_endpoints_by_account; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX alert_endpoints_by_account ON public.alert_endpoints USING btree (account_id);


--
-- Name: alert_matches_by_moment; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX alert_matches_by_moment ON public.alert_matches USING brin (matched_at);


--
-- Name: alert_matches_by_time; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX alert_matches_by_time ON public.alert_matches USING btree (search_id, matched_at DESC);


--
-- Name: duplicates; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX duplicates ON public.lots USING btree (duplicate_of) WHERE (duplicate_of IS NOT NULL);


--
-- Name: estimates_by_day; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX estimates_by_day ON public.estimates USING btree (day);


--
-- Name: keys_by_account; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX keys_by_account ON public.keys USING btree (account_id);


--
-- Name: lot_changes_by_lot; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX lot_changes_by_lot ON ONLY public.lot_changes USING btree (lot_id, seq);


--
-- Name: lot_changes_2026_11_lot_id_seq_idx; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX lot_changes_2026_11_lot_id_seq_idx ON public.lot_changes_2026_11 USING btree (lot_id, seq);


--
-- Name: lots_by_slug; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX lots_by_slug ON public.lots USING btree (slug);


--
-- Name: lots_by_source_url; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX lots_by_source_url ON public.lots USING btree (((md5(source_url))::uuid));


--
-- Name: lots_by_title_fingerprint; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX lots_by_title_fingerprint ON public.lots USING btree (title_fingerprint) WHERE (title_fingerprint IS NOT NULL);


--
-- Name: lots_by_vehicle_fingerprint; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX lots_by_vehicle_fingerprint ON public.lots USING btree (vehicle_fingerprint) WHERE (vehicle_fingerprint IS NOT NULL);


--
-- Name: open_lots_by_bids; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX open_lots_by_bids ON public.lots USING btree (num_bids DESC, id) WHERE is_open;


--
-- Name: open_lots_by_category; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX open_lots_by_category ON public.lots USING btree (category, ends_at, id) INCLUDE (starts_at) WHERE is_open;


--
-- Name: open_lots_by_end; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX open_lots_by_end ON public.lots USING btree (ends_at, id) INCLUDE (starts_at) WHERE is_open;


--
-- Name: open_lots_by_place; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX open_lots_by_place ON public.lots USING btree (latitude, longitude) WHERE is_open;


--
-- Name: open_lots_by_price; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX open_lots_by_price ON public.lots USING btree (price_cents, id) INCLUDE (ends_at, starts_at) WHERE is_open;


--
-- Name: open_lots_by_price_down; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX open_lots_by_price_down ON public.lots USING btree (price_cents DESC NULLS LAST, id) WHERE is_open;


--
-- Name: open_lots_by_score; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX open_lots_by_score ON public.lots USING btree (flip_score DESC NULLS LAST, id) WHERE is_open;


--
-- Name: open_lots_by_source; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX open_lots_by_source ON public.lots USING btree (source, ends_at, id) INCLUDE (starts_at) WHERE is_open;


--
-- Name: open_lots_by_start; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX open_lots_by_start ON public.lots USING btree (starts_at DESC, id) WHERE is_open;


--
-- Name: open_lots_by_state; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX open_lots_by_state ON public.lots USING btree (state, ends_at, id) INCLUDE (starts_at) WHERE is_open;


--
-- Name: open_lots_by_words; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX open_lots_by_words ON public.lots USING gin (search) WHERE is_open;


--
-- Name: sales_by_category; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX sales_by_category ON public.lots USING btree (category, sold_at) INCLUDE (state, final_bid_cents, num_bids, price_basis, is_piece, vehicle_year) WHERE ((sold_at IS NOT NULL) AND (duplicate_of IS NULL));


--
-- Name: sales_by_item; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX sales_by_item ON public.lots USING btree (item, sold_at) INCLUDE (state, final_bid_cents, num_bids, price_basis, is_piece, vehicle_year) WHERE ((sold_at IS NOT NULL) AND (duplicate_of IS NULL));


--
-- Name: sales_by_state; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX sales_by_state ON public.lots USING btree (state, sold_at) INCLUDE (final_bid_cents, num_bids, price_basis, is_piece, vehicle_year) WHERE ((sold_at IS NOT NULL) AND (duplicate_of IS NULL));


--
-- Name: sales_by_time; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX sales_by_time ON public.lots USING btree (sold_at, id) WHERE ((sold_at IS NOT NULL) AND (duplicate_of IS NULL));


--
-- Name: sales_by_words; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX sales_by_words ON public.lots USING gin (sold_words) WHERE ((sold_at IS NOT NULL) AND (duplicate_of IS NULL));


--
-- Name: saved_searches_by_account; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX saved_searches_by_account ON public.saved_searches USING btree (account_id);


--
-- Name: saved_searches_by_least_score; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX saved_searches_by_least_score ON public.saved_searches USING btree ((((query ->> 'min_flip_score'::text))::integer)) WHERE ((query ? 'min_flip_score'::text) AND (NOT is_paused));


--
-- Name: saved_searches_by_least_value; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX saved_searches_by_least_value ON public.saved_searches USING btree ((((query ->> 'value_min'::text))::numeric)) WHERE ((query ? 'value_min'::text) AND (NOT is_paused));


--
-- Name: saved_searches_mail_due; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX saved_searches_mail_due ON public.saved_searches USING btree (mail_due_at) WHERE (mail_due_at IS NOT NULL);


--
-- Name: scoring_queue_by_due; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX scoring_queue_by_due ON public.scoring_queue USING btree (due_at, lot_id);


--
-- Name: sessions_by_account; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX sessions_by_account ON public.sessions USING btree (account_id);


--
-- Name: sign_in_links_by_address; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX sign_in_links_by_address ON public.sign_in_links USING btree (address);


--
-- Name: lot_changes_2026_11_lot_id_seq_idx; Type: INDEX ATTACH; Schema: public; Owner: -
--

ALTER INDEX public.lot_changes_by_lot ATTACH PARTITION public.lot_changes_2026_11_lot_id_seq_idx;


--
-- Name: lot_changes_2026_11_pkey; Type: INDEX ATTACH; Schema: public; Owner: -
--

ALTER INDEX public.lot_changes_pkey ATTACH PARTITION public.lot_changes_2026_11_pkey;


--
-- Name: alert_matches alert_matches_wait_for_mail; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER alert_matches_wait_for_mail AFTER INSERT ON public.alert_matches REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION public.wait_for_mail();


--
-- Name: lots log_changed_lots; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER log_changed_lots AFTER UPDATE ON public.lots REFERENCING OLD TABLE AS before_change NEW TABLE AS changed FOR EACH STATEMENT WHEN ((pg_trigger_depth() = 0)) EXECUTE FUNCTION public.log_changed_lots();


--
-- Name: lots log_new_lots; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER log_new_lots AFTER INSERT ON public.lots REFERENCING NEW TABLE AS added FOR EACH STATEMENT WHEN ((pg_trigger_depth() = 0)) EXECUTE FUNCTION public.log_new_lots();


--
-- Name: lots log_score; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER log_score BEFORE UPDATE OF flip_score, approximate_value_cents ON public.lots FOR EACH ROW WHEN (((old.flip_score IS DISTINCT FROM new.flip_score) OR (old.approximate_value_cents IS DISTINCT FROM new.approximate_value_cents))) EXECUTE FUNCTION public.log_score();


--
-- Name: lots lots_added; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER lots_added AFTER INSERT ON public.lots REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION public.count_added_lots();


--
-- Name: lots lots_changed; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER lots_changed AFTER UPDATE ON public.lots REFERENCING OLD TABLE AS before_change NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION public.change_data_version_if_any();


--
-- Name: lots lots_removed; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER lots_removed AFTER DELETE OR TRUNCATE ON public.lots FOR EACH STATEMENT EXECUTE FUNCTION public.count_removed_lots();


--
-- Name: lots regroup_changed_lots; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER regroup_changed_lots AFTER UPDATE ON public.lots REFERENCING OLD TABLE AS lots_before NEW TABLE AS lots_after FOR EACH STATEMENT WHEN ((pg_trigger_depth() = 0)) EXECUTE FUNCTION public.regroup_changed_lots();


--
-- Name: lots regroup_new_lots; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER regroup_new_lots AFTER INSERT ON public.lots REFERENCING NEW TABLE AS new_lots FOR EACH STATEMENT WHEN ((pg_trigger_depth() = 0)) EXECUTE FUNCTION public.regroup_new_lots();


--
-- Name: saved_searches saved_searches_mail_again; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER saved_searches_mail_again BEFORE UPDATE OF cadence, by_mail, is_paused ON public.saved_searches FOR EACH ROW EXECUTE FUNCTION public.calculate_mail_again();


--
-- Name: sources sources_changed; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER sources_changed AFTER INSERT OR DELETE OR UPDATE ON public.sources FOR EACH STATEMENT EXECUTE FUNCTION public.change_data_version();


--
-- Name: address_changes address_changes_account_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.address_changes
    ADD CONSTRAINT address_changes_account_id_fkey FOREIGN KEY (account_id) REFERENCES public.accounts(id) ON DELETE CASCADE;


--
-- Name: alert_attempts alert_attempts_delivery_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.alert_attempts
    ADD CONSTRAINT alert_attempts_delivery_id_fkey FOREIGN KEY (delivery_id) REFERENCES public.alert_deliveries(id) ON DELETE CASCADE;


--
-- Name: alert_deliveries alert_deliveries_account_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.alert_deliveries
    ADD CONSTRAINT alert_deliveries_account_id_fkey FOREIGN KEY (account_id) REFERENCES public.accounts(id) ON DELETE CASCADE;


--
-- Name: alert_deliveries alert_deliveries_endpoint_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.alert_deliveries
    ADD CONSTRAINT alert_deliveries_endpoint_id_fkey FOREIGN KEY (endpoint_id) REFERENCES public.alert_endpoints(id) ON DELETE CASCADE;


--
-- Name: alert_deliveries alert_deliveries_match_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.alert_deliveries
    ADD CONSTRAINT alert_deliveries_match_id_fkey FOREIGN KEY (match_id) REFERENCES public.alert_matches(id) ON DELETE CASCADE;


--
-- Name: alert_deliveries alert_deliveries_search_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.alert_deliveries
    ADD CONSTRAINT alert_deliveries_search_id_fkey FOREIGN KEY (search_id) REFERENCES public.saved_searches(id) ON DELETE SET NULL;


--
-- Name: alert_endpoints alert_endpoints_account_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.alert_endpoints
    ADD CONSTRAINT alert_endpoints_account_id_fkey FOREIGN KEY (account_id) REFERENCES public.accounts(id) ON DELETE CASCADE;


--
-- Name: alert_matches alert_matches_search_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.alert_matches
    ADD CONSTRAINT alert_matches_search_id_fkey FOREIGN KEY (search_id) REFERENCES public.saved_searches(id) ON DELETE CASCADE;


--
-- Name: appraisals appraisals_lot_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.appraisals
    ADD CONSTRAINT appraisals_lot_id_fkey FOREIGN KEY (lot_id) REFERENCES public.lots(id) ON DELETE CASCADE;


--
-- Name: keys keys_account_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.keys
    ADD CONSTRAINT keys_account_id_fkey FOREIGN KEY (account_id) REFERENCES public.accounts(id);


--
-- Name: lots lots_duplicate_of_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.lots
    ADD CONSTRAINT lots_duplicate_of_fkey FOREIGN KEY (duplicate_of) REFERENCES public.lots(id) ON DELETE SET NULL;


--
-- Name: lots lots_source_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.lots
    ADD CONSTRAINT lots_source_fkey FOREIGN KEY (source) REFERENCES public.sources(source);


--
-- Name: quota_mails quota_mails_account_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.quota_mails
    ADD CONSTRAINT quota_mails_account_id_fkey FOREIGN KEY (account_id) REFERENCES public.accounts(id) ON DELETE CASCADE;


--
-- Name: saved_searches saved_searches_account_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.saved_searches
    ADD CONSTRAINT saved_searches_account_id_fkey FOREIGN KEY (account_id) REFERENCES public.accounts(id) ON DELETE CASCADE;


--
-- Name: sessions sessions_account_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.sessions
    ADD CONSTRAINT sessions_account_id_fkey FOREIGN KEY (account_id) REFERENCES public.accounts(id);


--
-- Name: set_aside_rows set_aside_rows_load_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.set_aside_rows
    ADD CONSTRAINT set_aside_rows_load_id_fkey FOREIGN KEY (load_id) REFERENCES public.loads(id);


--
-- Name: sources sources_last_load_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.sources
    ADD CONSTRAINT sources_last_load_id_fkey FOREIGN KEY (last_load_id) REFERENCES public.loads(id);


--
-- Name: sweeps sweeps_source_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.sweeps
    ADD CONSTRAINT sweeps_source_fkey FOREIGN KEY (source) REFERENCES public.sources(source);


--
-- PostgreSQL database dump complete
--


