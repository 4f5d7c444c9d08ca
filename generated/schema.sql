-- What the migrations add up to. Derived by `make generate`; read it, never run it.

CREATE OR REPLACE FUNCTION public.auction_day(moment timestamp with time zone)
 RETURNS integer
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN isfinite(moment) THEN (floor(((EXTRACT(epoch FROM (moment AT TIME ZONE 'utc'::text)) - (36000)::numeric) / (86400)::numeric)))::integer ELSE NULL::integer END
;

CREATE OR REPLACE FUNCTION public.calculate_mail_again()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  new.mail_due_at := new.mail_since;
  return new;
end
$function$
;

CREATE OR REPLACE FUNCTION public.change_data_version()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  update data_version set version = version + 1;
  return null;
end
$function$
;

CREATE OR REPLACE FUNCTION public.change_data_version_if_any()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if exists (select from changed) then
    update data_version set version = version + 1, offers = offers + 1, scores = scores + 1;
  end if;
  return null;
end
$function$
;

CREATE OR REPLACE FUNCTION public.charge_calls(month_meters text[], month_limits integer[], burst_meters text[], burst_limits integer[], calls integer[], operation_lists text[], moment timestamp with time zone)
 RETURNS TABLE(burst_meter text, granted integer, month_used integer, burst_started_at timestamp with time zone)
 LANGUAGE plpgsql
AS $function$
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
$function$
;

CREATE OR REPLACE FUNCTION public.charge_calls_and_tell_minutes(month_meters text[], month_limits integer[], burst_meters text[], burst_limits integer[], calls integer[], operation_lists text[], moment timestamp with time zone)
 RETURNS TABLE(burst_meter text, granted integer, month_used integer, burst_started_at timestamp with time zone, burst_used integer)
 LANGUAGE plpgsql
AS $function$
#variable_conflict use_column
declare
  charged_meters text[];
  grants integer[];
  months integer[];
  starts timestamptz[];
begin
  select array_agg(burst_meter), array_agg(granted), array_agg(month_used), array_agg(burst_started_at)
  into charged_meters, grants, months, starts
  from charge_calls(month_meters, month_limits, burst_meters, burst_limits, calls, operation_lists, moment);
  -- A statement of its own, which sees what the one above has counted.
  return query
  select charged.meter, charged.granted, charged.month_used, charged.started_at, coalesce(minute.used, 0)
  from unnest(charged_meters, grants, months, starts) as charged (meter, granted, month_used, started_at)
  left join burst_usage as minute using (meter, started_at);
end
$function$
;

CREATE OR REPLACE FUNCTION public.count_added_lots()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  update data_version
  set
    version = version + 1,
    offers = offers + case when exists (select from added where is_open) then 1 else 0 end;
  return null;
end
$function$
;

CREATE OR REPLACE FUNCTION public.count_alerts(of_account bigint, OUT searches bigint, OUT endpoints bigint)
 RETURNS record
 LANGUAGE plpgsql
AS $function$
begin
  perform from accounts where id = of_account for no key update;
  searches := (select count(*) from saved_searches where account_id = of_account);
  endpoints := (select count(*) from alert_endpoints where account_id = of_account);
end
$function$
;

CREATE OR REPLACE FUNCTION public.count_removed_lots()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  update data_version set version = version + 1, offers = offers + 1;
  return null;
end
$function$
;

CREATE OR REPLACE FUNCTION public.drop_months_of_changes(moment timestamp with time zone, days integer, kept text[], OUT months integer, OUT changes bigint)
 RETURNS record
 LANGUAGE plpgsql
 SET lock_timeout TO '50ms'
AS $function$
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
$function$
;

CREATE OR REPLACE FUNCTION public.earlier_listings(lot_id uuid)
 RETURNS json
 LANGUAGE plpgsql
 STABLE PARALLEL SAFE
 SET plan_cache_mode TO 'force_generic_plan'
 SET enable_bitmapscan TO 'off'
AS $function$
declare
  l lots;
begin
  select * into l from lots where id = lot_id;
  return (
    select coalesce(json_agg(earlier), '[]')
    from (
      select
        e.id, rfc3339(e.ends_at) as end_date, coalesce(e.outcome, 'ended') as status,
        case when e.num_bids > 0 or e.bids_known or coalesce(e.current_bid_cents, 0) = 0 then e.num_bids end as num_bids,
        coalesce(e.final_bid_cents, e.price_cents) as price_cents
      from (
        select *
        from lots
        where title_at_place(title, source, state, coalesce(left(zip, 5), city))
          = title_at_place(l.title, l.source, l.state, coalesce(left(l.zip, 5), l.city))
        and not is_open
        and ends_at < least(nullif(l.starts_at, '-infinity') + interval '1 day', l.ends_at - interval '1 day')
        order by ends_at desc, id
        offset 0
      ) as e
      where e.id <> l.id
      and e.auction_id = l.auction_id is not true
      and e.odometer_miles = l.odometer_miles is not false
      and vehicle_fingerprint(e.title || ' ' || coalesce(e.description, ''), 'epoch')
        = vehicle_fingerprint(l.title || ' ' || coalesce(l.description, ''), 'epoch') is not false
      limit 5
    ) as earlier
  );
end
$function$
;

CREATE OR REPLACE FUNCTION public.earliest_close(ends_at timestamp with time zone, time_zone text, closes_from_hour smallint)
 RETURNS timestamp with time zone
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN (end_precision(ends_at, time_zone) = 'day'::text) THEN ((ends_at + '00:00:01'::interval) - make_interval(hours => (24 - closes_from_hour))) ELSE ends_at END
;

CREATE OR REPLACE FUNCTION public.end_precision(ends_at timestamp with time zone, time_zone text)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN (NOT isfinite(ends_at)) THEN NULL::text WHEN ((time_zone ~~ '%/%'::text) AND (((ends_at AT TIME ZONE time_zone))::time without time zone = '23:59:59'::time without time zone)) THEN 'day'::text ELSE 'second'::text END
;

CREATE OR REPLACE FUNCTION public.folded(words text)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN ((octet_length(words) = length(words)) OR (words !~ '[^\u0001-\u00bf\u2002-\u206f\u2122]'::text)) THEN lower((words COLLATE "C")) ELSE replace(replace(replace(replace(replace(replace(translate(lower((NORMALIZE(regexp_replace(NORMALIZE(words, NFD), '[\u0300-\u036f]+'::text, ''::text, 'g'::text), NFC) COLLATE "C")), 'ΑΒΓΔΕΖΗΘΙΚΛΜΝΞΟΠΡΣΤΥΦΧΨΩςАБВГДЕЖЗИКЛМНОПРСТУФХЦЧШЩЪЫЬЭЮЯЂЄЅІЈЉЊЋЏҐØøŁłĐđÐðĦħŦŧıÞŊ'::text, 'αβγδεζηθικλμνξοπρστυφχψωσабвгдежзиклмнопрстуфхцчшщъыьэюяђєѕіјљњћџґoollddddhhttiþŋ'::text), 'ß'::text, 'ss'::text), 'ẞ'::text, 'ss'::text), 'æ'::text, 'ae'::text), 'Æ'::text, 'ae'::text), 'œ'::text, 'oe'::text), 'Œ'::text, 'oe'::text) END
;

CREATE OR REPLACE FUNCTION public.forget_matches()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  delete from alert_matches m using removed where m.search_id = removed.id;
  return null;
end
$function$
;

CREATE OR REPLACE FUNCTION public.frequent_words(titles text[], most integer)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN (WITH pieces AS MATERIALIZED (SELECT piece.piece, count(*) AS titles FROM unnest(frequent_words.titles) title(title), LATERAL string_to_table(lower(title.title), ' '::text) piece(piece) GROUP BY piece.piece) SELECT COALESCE(string_agg(words.word, ' '::text ORDER BY words.lots DESC, words.word), ''::text) AS "coalesce" FROM (SELECT word.word, sum(pieces.titles) AS lots FROM pieces, LATERAL rtrim(pieces.piece, ',.:;)'::text) word(word) WHERE (word.word ~ '^[a-z]{3,24}$'::text) GROUP BY word.word ORDER BY (sum(pieces.titles)) DESC, word.word LIMIT frequent_words.most) words)
;

CREATE OR REPLACE FUNCTION public.give_back(give_back_id uuid, given jsonb)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
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
$function$
;

CREATE OR REPLACE FUNCTION public.keep_month_of_changes(moment timestamp with time zone)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
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
$function$
;

CREATE OR REPLACE FUNCTION public.last_change()
 RETURNS bigint
 LANGUAGE sql
 STABLE
RETURN (SELECT data_version.last_change FROM data_version)
;

CREATE OR REPLACE FUNCTION public.lock_counters(month_meters text[], month_limits integer[], burst_meters text[], burst_limits integer[], moment timestamp with time zone, OUT open_months text[], OUT open_minutes text[])
 RETURNS record
 LANGUAGE plpgsql
AS $function$
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
$function$
;

CREATE OR REPLACE FUNCTION public.log_changed_lots()
 RETURNS trigger
 LANGUAGE plpgsql
 SET enable_nestloop TO 'off'
 SET jit TO 'off'
AS $function$
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
    cross join lateral (select before.reading is distinct from after.reading) as read_by (is_read_anew)
    -- Earlier readings took the opening price of a lot without bids for a bid.
    cross join lateral (
      select
        is_read_anew and before.num_bids = 0 and after.num_bids = 0
        and coalesce(before.final_bid_cents, before.current_bid_cents, 0) > 0
        and num_nonnulls(after.final_bid_cents, after.current_bid_cents) = 0
    ) as bid_by (had_none)
    cross join unnest(case
      when before.is_open and after.is_open then array[
        case
          when (before.current_bid_cents, before.num_bids) is distinct from (after.current_bid_cents, after.num_bids)
          and not had_none
          then 'bid'
        end,
        case when before.ends_at <> after.ends_at and not is_read_anew then 'end_moved' end,
        case
          when (before.starting_bid_cents, before.buy_now_cents) is distinct from (after.starting_bid_cents, after.buy_now_cents)
          and not (had_none and before.buy_now_cents is not distinct from after.buy_now_cents)
          then 'price'
        end,
        case
          when not is_read_anew and lot_details(before::lots) is distinct from lot_details(after::lots)
          then 'details'
        end,
        case
          when (before.logged_score, before.logged_value_cents, before.value_grade)
            is distinct from (after.logged_score, after.logged_value_cents, after.value_grade)
            and before.score_version in ('', after.score_version)
          then 'score'
        end
      ]
      -- It never sold, or the day of its end stood for an unknown one.
      when is_read_anew and not before.is_open and (had_none and not after.is_open or before.ends_at < '1990-01-01Z') then '{}'
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
$function$
;

CREATE OR REPLACE FUNCTION public.log_changes(changes lot_changes[])
 RETURNS void
 LANGUAGE plpgsql
AS $function$
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
$function$
;

CREATE OR REPLACE FUNCTION public.log_new_lots()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  perform log_changes(array(
    select row(null, id, null, 'listed', current_bid_cents, num_bids, ends_at, false, null, null, null, null, null)::lot_changes
    from added
    where is_open
  ));
  return null;
end
$function$
;

CREATE OR REPLACE FUNCTION public.log_score()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
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
$function$
;

CREATE OR REPLACE FUNCTION public.lot_details(lot lots)
 RETURNS text
 LANGUAGE sql
 STABLE PARALLEL SAFE
RETURN (ROW((lot).title, (lot).description, (lot).category, (lot).item, (lot).quantity, (lot).vehicle_year, (lot).vehicle_make, (lot).vehicle_model, (lot).state, (lot).city, (lot).zip, (lot).condition_grade, (lot).image_url, (lot).source_url, (lot).starts_at, (lot).offer_kind, (lot).bid_increment_cents, (lot).auction_id, (lot).bid_conditions, (lot).reserve_met, (lot).buyers_premium_percent, (lot).odometer_miles, (lot).engine_hours, (lot).runs, (lot).road_title, (lot).open_recall))::text
;

CREATE OR REPLACE FUNCTION public.lot_groups(titles uuid[], vehicles uuid[])
 RETURNS TABLE(lot_id uuid, group_key text, is_certain boolean)
 LANGUAGE plpgsql
 STABLE
 SET plan_cache_mode TO 'force_custom_plan'
AS $function$
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
$function$
;

CREATE OR REPLACE FUNCTION public.lot_id(source text, source_id text)
 RETURNS uuid
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE STRICT
RETURN (OVERLAY(OVERLAY(md5(('\x6ba7b8119dad11d180b400c04fd430c8'::bytea || (replace(((source || ':'::text) || source_id), '\'::text, '\\'::text))::bytea)) PLACING '3'::text FROM 13) PLACING '8'::text FROM 17))::uuid
;

CREATE OR REPLACE FUNCTION public.lot_search(title text, item text, read text, describing text, place text, source_id text, is_searched boolean)
 RETURNS tsvector
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN is_searched THEN ((((setweight(to_tsvector('english'::regconfig, searchable(title)), 'A'::"char") || setweight(to_tsvector('english'::regconfig, ((searchable(((read || ' '::text) || item)) || ' '::text) || replace(item, '-'::text, ''::text))), 'B'::"char")) || setweight(to_tsvector('english'::regconfig, searchable(COALESCE(describing, ''::text))), 'C'::"char")) || setweight(to_tsvector('english'::regconfig, searchable(place)), 'D'::"char")) || setweight(to_tsvector('english'::regconfig, regexp_replace(folded(source_id), (('[ '::text || separators()) || ']+'::text), ''::text, 'g'::text)), 'D'::"char")) ELSE NULL::tsvector END
;

CREATE OR REPLACE FUNCTION public.lot_status(outcome text, starts_at timestamp with time zone, ends_at timestamp with time zone, moment timestamp with time zone)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN (outcome IS NOT NULL) THEN outcome WHEN (ends_at <= moment) THEN 'ended'::text WHEN (starts_at > moment) THEN 'upcoming'::text ELSE 'live'::text END
;

CREATE OR REPLACE FUNCTION public.lots_query(words text, category text, state text)
 RETURNS tsquery
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN ((COALESCE(category, state) IS NULL) OR (numnode(to_tsquery('english'::regconfig, words)) = 0)) THEN to_tsquery('english'::regconfig, words) ELSE (to_tsquery('english'::regconfig, words) && plainto_tsquery('english'::regconfig, searchable(((COALESCE(category, ''::text) || ' '::text) || COALESCE(state, ''::text))))) END
;

CREATE OR REPLACE FUNCTION public.next_mail_at(search saved_searches, owner accounts, at_once boolean, moment timestamp with time zone)
 RETURNS timestamp with time zone
 LANGUAGE plpgsql
 IMMUTABLE
AS $function$
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
$function$
;

CREATE OR REPLACE FUNCTION public.official_page(source_url text, slug text, public_url text)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN (source_url = '/'::text) THEN ((public_url || '/listings/'::text) || slug) ELSE source_url END
;

CREATE OR REPLACE FUNCTION public.queue_mails(plans jsonb, moment timestamp with time zone)
 RETURNS integer
 LANGUAGE plpgsql
AS $function$
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
$function$
;

CREATE OR REPLACE FUNCTION public.redeem_agent_code(code bytea, client text, redirect text, sent_challenge text, new_hash bytea, new_hint text, days integer, moment timestamp with time zone)
 RETURNS text
 LANGUAGE plpgsql
AS $function$
declare
  allowed agent_grants;
  new_key uuid;
begin
  select * into allowed from agent_grants where code_hash = code for update;
  if allowed.key_id is not null then
    update keys set is_revoked = true, revoked_at = least(revoked_at, moment) where id = allowed.key_id;
    return 'The code was used before, so its token is now revoked.';
  elsif allowed.code_hash is null or allowed.expires_at <= moment then
    return 'The code is unknown or has expired.';
  elsif allowed.client_id <> client then
    return 'The code is for another client_id.';
  elsif allowed.redirect_uri <> redirect then
    return 'The redirect_uri is not that of the authorization.';
  elsif allowed.challenge <> sent_challenge then
    return 'The code_verifier does not match the code_challenge.';
  end if;
  insert into keys (account_id, name, secret_hash, hint, created_at, revoked_at, agent_client)
  values (
    allowed.account_id, allowed.client_name, new_hash, new_hint, moment, moment + make_interval(days => days), client
  )
  returning id into new_key;
  update agent_grants set key_id = new_key where code_hash = code;
  return null;
end
$function$
;

CREATE OR REPLACE FUNCTION public.regroup_changed_lots()
 RETURNS trigger
 LANGUAGE plpgsql
 SET enable_nestloop TO 'off'
AS $function$
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
$function$
;

CREATE OR REPLACE FUNCTION public.regroup_lots(lot_ids uuid[], titles uuid[], vehicles uuid[])
 RETURNS void
 LANGUAGE plpgsql
AS $function$
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
$function$
;

CREATE OR REPLACE FUNCTION public.regroup_new_lots()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  perform regroup_lots(
    array(select id from new_lots),
    array(select distinct title_fingerprint from new_lots where title_fingerprint is not null),
    array(select distinct vehicle_fingerprint from new_lots where vehicle_fingerprint is not null)
  );
  return null;
end
$function$
;

CREATE OR REPLACE FUNCTION public.rfc3339(moment timestamp with time zone)
 RETURNS text
 LANGUAGE sql
 STABLE PARALLEL SAFE
RETURN CASE WHEN isfinite(moment) THEN to_char((moment AT TIME ZONE 'utc'::text), 'YYYY-MM-DD"T"HH24:MI:SS"Z"'::text) ELSE NULL::text END
;

CREATE OR REPLACE FUNCTION public.searchable(words text)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN regexp_replace(folded(words), (((((('['::text || separators()) || ']+|(?<=[^0-9 '::text) || separators()) || '])(?=[0-9])|(?<=[0-9])(?=[^0-9 '::text) || separators()) || '])'::text), ' '::text, 'g'::text)
;

CREATE OR REPLACE FUNCTION public.separators()
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN '\u0001-\u001f\u0021-\u002f\u003a-\u0040\u005b-\u0060\u007b-\u00a9\u00ab-\u00b4\u00b6-\u00b9\u00bb-\u00bf\u00d7\u00f7\u1680\u2000-\u2070\u2072-\u207e\u2080-\u208f\u209d-\u2101\u2103-\u2106\u2108\u2109\u2114\u2116-\u2118\u211e-\u2123\u2125\u2127\u2129\u212e\u213a\u213b\u2140-\u2144\u214a-\u214d\u214f-\u215f\u2189-\u24b5\u24ea-\u2bff\u2e00-\u2e7f\u3000-\u3004\u3008-\u3020\u3030\u303d-\u303f\ue000-\uf8ff\ufe00-\ufe1f\ufe30-\ufe6f\ufeff\uff00-\uff0f\uff1a-\uff20\uff3b-\uff40\uff5b-\uff65\uffe0-\uffef\ufff9-\uffff\U0001f000-\U0001faff'::text
;

CREATE OR REPLACE FUNCTION public.settle_delivery(delivery uuid, result text, status integer, milliseconds integer, answer text, wait interval, reason text, moment timestamp with time zone)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
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
$function$
;

CREATE OR REPLACE FUNCTION public.slug_apart(slug text, source text, source_id text)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN ((slug || '-'::text) || "left"((lot_id(source, source_id))::text, 8))
;

CREATE OR REPLACE FUNCTION public.take_attempts(requested jsonb, moment timestamp with time zone)
 RETURNS integer
 LANGUAGE plpgsql
AS $function$
declare
  wait_seconds integer;
begin
  insert into attempts as a (meter, used, ends_at)
  select r.meter, 0, moment + make_interval(secs => r.seconds)
  from jsonb_to_recordset(requested) as r (meter text, seconds integer)
  order by r.meter
  on conflict (meter) do update
  set used = 0, ends_at = excluded.ends_at
  where a.ends_at <= moment or a.ends_at > excluded.ends_at + (clock_timestamp() - now());

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
$function$
;

CREATE OR REPLACE FUNCTION public.title_at_place(title text, source text, state text, place text)
 RETURNS uuid
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN (md5(((((((NULLIF(regexp_replace(folded(title), (('[ '::text || separators()) || ']+'::text), ''::text, 'g'::text), ''::text) || ' '::text) || source) || ' '::text) || COALESCE(state, ''::text)) || ' '::text) || COALESCE(lower(place), ''::text))))::uuid
;

CREATE OR REPLACE FUNCTION public.title_fingerprint(title text, state text, ends_at timestamp with time zone)
 RETURNS uuid
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN (md5(((((NULLIF(lower(regexp_replace(replace(title, ' '::text, ''::text), '[^[:alnum:]]+'::text, ''::text, 'g'::text)), ''::text) || ' '::text) || state) || ' '::text) || (auction_day(ends_at))::text)))::uuid
;

CREATE OR REPLACE FUNCTION public.to_ms(moment timestamp with time zone)
 RETURNS double precision
 LANGUAGE sql
 STABLE PARALLEL SAFE
RETURN ((EXTRACT(epoch FROM moment))::double precision * (1000)::double precision)
;

CREATE OR REPLACE FUNCTION public.vehicle_fingerprint(words text, ends_at timestamp with time zone)
 RETURNS uuid
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN (md5(((upper("substring"(words, '(?i)\m[a-hj-npr-z0-9]{13}\d{4}\M'::text)) || ' '::text) || (auction_day(ends_at))::text)))::uuid
;

CREATE OR REPLACE FUNCTION public.wait_for_mail()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
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
$function$
;

create table account_calls (
  account_id bigint not null,
  minute timestamp with time zone not null,
  answered integer not null,
  refused integer not null,
  constraint account_calls_pkey PRIMARY KEY (account_id, minute)
) with (fillfactor=50);

create table accounts (
  id bigint not null generated always as identity,
  owner text,
  created_at timestamp with time zone not null default now(),
  plan text not null default 'free'::text,
  stripe_customer text,
  subscription_status text,
  subscription_ends_at timestamp with time zone,
  subscription_look bigint not null default 0,
  plan_set_by text,
  plan_set_at timestamp with time zone,
  plan_until timestamp with time zone,
  time_zone text not null default 'America/New_York'::text,
  digest_hour smallint not null default 8,
  quiet_from smallint not null default 0,
  quiet_until smallint not null default 0,
  costs jsonb,
  is_time_zone_known boolean not null default false,
  constraint accounts_digest_hour_check CHECK (((digest_hour >= 0) AND (digest_hour <= 23))),
  constraint accounts_owner_key UNIQUE (owner),
  constraint accounts_pkey PRIMARY KEY (id),
  constraint accounts_plan_check CHECK ((plan = ANY (ARRAY['free'::text, 'pro'::text, 'pro_plus'::text, 'enterprise'::text]))),
  constraint accounts_quiet_from_check CHECK (((quiet_from >= 0) AND (quiet_from <= 23))),
  constraint accounts_quiet_until_check CHECK (((quiet_until >= 0) AND (quiet_until <= 23))),
  constraint accounts_stripe_customer_key UNIQUE (stripe_customer),
  constraint accounts_time_zone_check CHECK ((timezone(time_zone, '1970-01-01 00:00:00+00'::timestamp with time zone) IS NOT NULL)),
  constraint only_a_set_plan_ends CHECK (((plan_set_by IS NOT NULL) OR (plan_until IS NULL)))
);

create table address_changes (
  account_id bigint not null,
  new_address text not null,
  old_hash bytea,
  new_hash bytea,
  expires_at timestamp with time zone not null,
  constraint address_changes_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id) ON DELETE CASCADE,
  constraint address_changes_new_hash_key UNIQUE (new_hash),
  constraint address_changes_old_hash_key UNIQUE (old_hash),
  constraint address_changes_pkey PRIMARY KEY (account_id)
);

create table agent_grants (
  code_hash bytea not null,
  account_id bigint not null,
  client_id text not null,
  client_name text not null,
  redirect_uri text not null,
  challenge text not null,
  expires_at timestamp with time zone not null,
  key_id uuid,
  constraint agent_grants_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id),
  constraint agent_grants_key_id_fkey FOREIGN KEY (key_id) REFERENCES keys(id),
  constraint agent_grants_pkey PRIMARY KEY (code_hash)
);

create table alert_attempts (
  delivery_id uuid not null,
  attempted_at timestamp with time zone not null,
  status smallint,
  milliseconds integer not null,
  answer text not null,
  constraint alert_attempts_delivery_id_fkey FOREIGN KEY (delivery_id) REFERENCES alert_deliveries(id) ON DELETE CASCADE
);

create table alert_deliveries (
  id uuid not null,
  account_id bigint not null,
  search_id bigint,
  match_id bigint,
  endpoint_id bigint,
  lane bigint not null generated always as (COALESCE(endpoint_id, (0)::bigint)) stored,
  kind text not null,
  content jsonb,
  created_at timestamp with time zone not null,
  attempts smallint not null default 0,
  due_at timestamp with time zone,
  leased_until timestamp with time zone,
  delivered_at timestamp with time zone,
  constraint alert_deliveries_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id) ON DELETE CASCADE,
  constraint alert_deliveries_endpoint_id_fkey FOREIGN KEY (endpoint_id) REFERENCES alert_endpoints(id) ON DELETE CASCADE,
  constraint alert_deliveries_match_id_fkey FOREIGN KEY (match_id) REFERENCES alert_matches(id) ON DELETE CASCADE,
  constraint alert_deliveries_pkey PRIMARY KEY (id),
  constraint alert_deliveries_search_id_fkey FOREIGN KEY (search_id) REFERENCES saved_searches(id) ON DELETE SET NULL
);

create table alert_endpoints (
  id bigint not null generated always as identity,
  account_id bigint not null,
  url text not null,
  secret text not null,
  old_secret text,
  old_secret_until timestamp with time zone,
  failing_since timestamp with time zone,
  warned_at timestamp with time zone,
  disabled_at timestamp with time zone,
  disabled_reason text,
  created_at timestamp with time zone not null,
  constraint alert_endpoints_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id) ON DELETE CASCADE,
  constraint alert_endpoints_pkey PRIMARY KEY (id)
);

create table alert_matches (
  id bigint not null generated always as identity,
  search_id bigint not null,
  lot_id uuid not null,
  kind text not null,
  value text not null,
  current_bid_cents bigint,
  num_bids integer not null,
  ends_at timestamp with time zone not null,
  former_price_cents bigint,
  observed_at timestamp with time zone not null,
  matched_at timestamp with time zone not null,
  mail_id uuid,
  others integer not null default 0,
  constraint alert_matches_pkey PRIMARY KEY (id),
  constraint alert_matches_search_id_lot_id_kind_value_key UNIQUE (search_id, lot_id, kind, value)
);

create table alert_progress (
  stream text not null,
  position bigint not null,
  constraint alert_progress_pkey PRIMARY KEY (stream),
  constraint alert_progress_stream_check CHECK ((stream = ANY (ARRAY['changes'::text, 'clock'::text])))
);

create table appraisals (
  lot_id uuid not null,
  estimated_value_cents bigint not null,
  all_in_cost_cents bigint,
  resale_margin_cents bigint,
  confidence double precision not null,
  sale_ids uuid[] not null,
  similarities double precision[] not null,
  flip_score smallint,
  factors jsonb,
  score_version text not null,
  price_kind text,
  scored_at timestamp with time zone not null,
  likely_low_cents bigint not null,
  likely_high_cents bigint not null,
  range_low_cents bigint not null,
  range_high_cents bigint not null,
  estimated_at timestamp with time zone not null,
  neighbor_factor double precision not null default 1,
  projected_close_cents bigint,
  close_low_cents bigint,
  close_high_cents bigint,
  seen_factor double precision,
  constraint appraisals_lot_id_fkey FOREIGN KEY (lot_id) REFERENCES lots(id) ON DELETE CASCADE,
  constraint appraisals_pkey PRIMARY KEY (lot_id)
);

create table attempts (
  meter text not null,
  used integer not null,
  ends_at timestamp with time zone not null,
  constraint attempts_pkey PRIMARY KEY (meter)
);

create table burst_usage (
  meter text not null,
  started_at timestamp with time zone not null,
  used integer not null,
  constraint burst_usage_pkey PRIMARY KEY (meter),
  constraint burst_usage_used_check CHECK ((used >= 0)) NOT VALID
) with (fillfactor=50);

create table call_logs (
  account_id bigint not null,
  calls jsonb not null,
  constraint call_logs_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id) ON DELETE CASCADE,
  constraint call_logs_pkey PRIMARY KEY (account_id)
);

create table close_days (
  day date not null,
  entries integer not null,
  root text not null,
  constraint close_days_pkey PRIMARY KEY (day)
);

create table closes (
  lot_id uuid not null,
  hours smallint not null,
  close_cents bigint not null,
  likely_low_cents bigint not null,
  likely_high_cents bigint not null,
  logged_at timestamp with time zone not null default now(),
  day date,
  nonce uuid not null default gen_random_uuid(),
  constraint closes_pkey PRIMARY KEY (lot_id, hours)
);

create table data_version (
  is_only boolean not null default true,
  version bigint not null,
  offers bigint not null default 1,
  scores bigint not null default 1,
  last_change bigint not null default 0,
  kind text not null default 'live'::text,
  constraint data_version_is_only_check CHECK (is_only),
  constraint data_version_kind_check CHECK ((kind = ANY (ARRAY['live'::text, 'demo'::text]))),
  constraint data_version_pkey PRIMARY KEY (is_only)
) with (fillfactor=50);

create table demo_mails (
  id bigint not null generated always as identity,
  recipient text not null,
  subject text not null,
  content text not null,
  sent_at timestamp with time zone not null,
  html text,
  constraint demo_mails_pkey PRIMARY KEY (id)
);

create table doubted_lots (
  lot_id uuid not null,
  source text not null,
  says text not null,
  constraint doubted_lots_pkey PRIMARY KEY (lot_id)
);

create table estimate_days (
  day date not null,
  entries integer not null,
  root text not null,
  constraint estimate_days_pkey PRIMARY KEY (day)
);

create table estimates (
  lot_id uuid not null,
  day date not null,
  estimated_value_cents bigint not null,
  likely_low_cents bigint not null,
  likely_high_cents bigint not null,
  range_low_cents bigint not null,
  range_high_cents bigint not null,
  nonce uuid not null default gen_random_uuid(),
  constraint estimates_pkey PRIMARY KEY (lot_id)
);

create table given_back (
  id uuid not null,
  given_at timestamp with time zone not null default now(),
  constraint given_back_pkey PRIMARY KEY (id)
);

create table keys (
  id uuid not null default gen_random_uuid(),
  account_id bigint not null,
  plan text,
  secret_hash bytea not null,
  hint text not null,
  calls_per_month integer,
  calls_per_minute integer,
  created_at timestamp with time zone not null default now(),
  revoked_at timestamp with time zone,
  name text not null default ''::text,
  shown_until timestamp with time zone,
  agent_client text,
  is_revoked boolean not null default false,
  constraint keys_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id),
  constraint keys_calls_per_minute_check CHECK ((calls_per_minute >= 0)),
  constraint keys_calls_per_month_check CHECK ((calls_per_month >= 0)),
  constraint keys_pkey PRIMARY KEY (id),
  constraint keys_plan_check CHECK ((plan = ANY (ARRAY['free'::text, 'pro'::text, 'pro_plus'::text, 'enterprise'::text]))),
  constraint keys_secret_hash_key UNIQUE (secret_hash)
);

create table limit_days (
  day date not null,
  entries integer not null,
  root text not null,
  constraint limit_days_pkey PRIMARY KEY (day)
);

create table limits (
  lot_id uuid not null,
  day date,
  limit_cents bigint not null,
  grade text not null,
  nonce uuid not null default gen_random_uuid(),
  constraint limits_pkey PRIMARY KEY (lot_id)
);

create table loads (
  id bigint not null generated always as identity,
  feed text not null,
  started_at timestamp with time zone not null,
  finished_at timestamp with time zone,
  state text not null default 'running'::text,
  reason text,
  rows_read integer not null default 0,
  rows_taken integer not null default 0,
  rows_set_aside integer not null default 0,
  constraint loads_pkey PRIMARY KEY (id),
  constraint loads_state_check CHECK ((state = ANY (ARRAY['running'::text, 'done'::text, 'refused'::text])))
);

create table lot_changes (
  seq bigint not null,
  lot_id uuid not null,
  observed_at timestamp with time zone not null,
  kind text not null,
  current_bid_cents bigint,
  num_bids integer not null,
  ends_at timestamp with time zone not null,
  fell boolean not null,
  score_before smallint,
  value_before_cents bigint,
  price_before_cents bigint,
  category_before text,
  state_before text,
  constraint lot_changes_kind_check CHECK ((kind = ANY (ARRAY['listed'::text, 'bid'::text, 'end_moved'::text, 'price'::text, 'details'::text, 'withdrawn'::text, 'ended'::text, 'sold'::text, 'unsold'::text, 'reopened'::text, 'score'::text]))),
  constraint lot_changes_pkey PRIMARY KEY (seq, observed_at)
) partition by RANGE (observed_at);

create table lots (
  id uuid not null generated always as (lot_id(source, source_id)) stored,
  source text not null,
  source_id text not null,
  slug text not null,
  title text not null,
  description text,
  describing text,
  category text not null,
  item text,
  quantity integer,
  is_piece boolean not null default true,
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
  price_cents bigint generated always as (COALESCE(current_bid_cents, starting_bid_cents, buy_now_cents)) stored,
  num_bids integer not null default 0,
  offer_kind text not null default 'auction'::text,
  condition_grade text,
  image_url text,
  source_url text not null,
  starts_at timestamp with time zone not null default '-infinity'::timestamp with time zone,
  ends_at timestamp with time zone not null default 'infinity'::timestamp with time zone,
  outcome text,
  is_open boolean not null,
  final_bid_cents bigint,
  price_basis text,
  sold_at timestamp with time zone,
  flip_score smallint,
  logged_score smallint,
  value_grade text,
  approximate_value_cents bigint,
  expected_profit_cents bigint,
  logged_value_cents bigint,
  observed_at timestamp with time zone not null,
  search tsvector generated always as (lot_search(title, COALESCE(item, ''::text), ((((category || ' '::text) || COALESCE(vehicle_make, ''::text)) || ' '::text) || COALESCE(vehicle_model, ''::text)), describing, ((COALESCE(city, ''::text) || ' '::text) || COALESCE(state, ''::text)), source_id, is_open)) stored,
  sold_words tsvector generated always as (lot_search(title, COALESCE(item, ''::text), category, NULL::text, ''::text, ''::text, (sold_at IS NOT NULL))) stored,
  duplicate_of uuid,
  title_fingerprint uuid generated always as (title_fingerprint(title, state, ends_at)) stored,
  vehicle_fingerprint uuid generated always as (vehicle_fingerprint(((title || ' '::text) || COALESCE(description, ''::text)), ends_at)) stored,
  bid_conditions text[] not null default '{}'::text[],
  reading smallint,
  score_version text default ''::text,
  bid_increment_cents bigint,
  auction_id text,
  auction_name text,
  approximate_close_cents bigint,
  value_note text,
  verdict text,
  room_rank bigint,
  bids_known boolean,
  reserve_met boolean,
  buyers_premium_percent numeric,
  odometer_miles integer,
  engine_hours double precision,
  runs boolean,
  road_title boolean,
  open_recall boolean,
  seen_by text,
  no_bid_chance double precision,
  limit_cents bigint,
  constraint lots_check CHECK (((outcome IS NULL) OR (NOT is_open))),
  constraint lots_check1 CHECK (((sold_at IS NULL) = (price_basis IS NULL))),
  constraint lots_check2 CHECK (((sold_at IS NULL) OR (final_bid_cents > 0))),
  constraint lots_duplicate_of_fkey FOREIGN KEY (duplicate_of) REFERENCES lots(id) ON DELETE SET NULL,
  constraint lots_outcome_check CHECK ((outcome = ANY (ARRAY['sold'::text, 'unsold'::text, 'withdrawn'::text]))),
  constraint lots_pkey PRIMARY KEY (id),
  constraint lots_price_basis_check CHECK ((price_basis = ANY (ARRAY['awarded'::text, 'closed_high_bid'::text, 'last_observed'::text]))),
  constraint lots_source_fkey FOREIGN KEY (source) REFERENCES sources(source),
  constraint lots_source_source_id_key UNIQUE (source, source_id)
) with (fillfactor=85);

create table migrations (
  name text not null,
  checksum text not null,
  applied_at timestamp with time zone not null default now(),
  constraint migrations_pkey PRIMARY KEY (name)
);

create table missed_lots (
  lot_id uuid not null,
  missed_at timestamp with time zone not null,
  may_have_ended boolean not null,
  constraint missed_lots_pkey PRIMARY KEY (lot_id)
);

create table monthly_usage (
  meter text not null,
  month date not null,
  used integer not null,
  days integer[] not null default array_fill(0, ARRAY[31]),
  constraint monthly_usage_pkey PRIMARY KEY (meter, month),
  constraint monthly_usage_used_check CHECK ((used >= 0)) NOT VALID
) with (fillfactor=50);

create table operation_calls (
  key_id uuid not null,
  month date not null,
  operation text not null,
  calls integer not null
);

create table operation_usage (
  key_id uuid not null,
  month date not null,
  operation text not null,
  calls integer not null,
  constraint operation_usage_pkey PRIMARY KEY (key_id, month, operation)
);

create table quota_check (
  is_only boolean not null default true,
  checked_at timestamp with time zone not null,
  constraint quota_check_is_only_check CHECK (is_only),
  constraint quota_check_pkey PRIMARY KEY (is_only)
);

create table quota_mails (
  account_id bigint not null,
  month date not null,
  percent smallint not null,
  constraint quota_mails_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id) ON DELETE CASCADE,
  constraint quota_mails_percent_check CHECK ((percent = ANY (ARRAY[80, 100]))),
  constraint quota_mails_pkey PRIMARY KEY (account_id, month, percent)
);

create table sales_index_pieces (
  index_id bigint not null,
  piece integer not null,
  bytes bytea not null,
  constraint sales_index_pieces_pkey PRIMARY KEY (index_id, piece)
);

create table sales_indexes (
  id bigint not null generated always as identity,
  as_of timestamp with time zone not null,
  score_version text not null,
  sales integer not null,
  sell_through jsonb not null,
  accuracy jsonb not null,
  bid_paths jsonb,
  chance jsonb not null default '{"slope": 1, "offset": 0}'::jsonb,
  sales_changed integer not null default 0,
  finished_at timestamp with time zone,
  constraint sales_indexes_pkey PRIMARY KEY (id)
);

create table saved_searches (
  id bigint not null generated always as identity,
  account_id bigint not null,
  name text not null,
  query jsonb not null,
  lot_id uuid,
  kinds text[] not null,
  cadence text not null,
  by_mail boolean not null default true,
  by_file boolean not null default false,
  endpoint_ids bigint[] not null default '{}'::bigint[],
  is_paused boolean not null default false,
  feed_generation integer not null default 1,
  last_mail_at timestamp with time zone,
  mail_since timestamp with time zone,
  mail_due_at timestamp with time zone,
  since_change bigint not null default last_change(),
  created_at timestamp with time zone not null,
  constraint saved_searches_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id) ON DELETE CASCADE,
  constraint saved_searches_cadence_check CHECK ((cadence = ANY (ARRAY['instant'::text, 'daily'::text, 'weekly'::text]))),
  constraint saved_searches_kinds_check CHECK (((kinds <@ ARRAY['new'::text, 'price_drop'::text, 'bid'::text, 'ending'::text, 'status'::text]) AND (cardinality(kinds) > 0))),
  constraint saved_searches_pkey PRIMARY KEY (id)
);

create table scoring_queue (
  lot_id uuid not null,
  due_at timestamp with time zone not null,
  needs_estimate boolean not null,
  changes integer not null default 1,
  constraint scoring_queue_pkey PRIMARY KEY (lot_id)
);

create table secret_proof (
  is_only boolean not null default true,
  proof bytea not null,
  constraint secret_proof_is_only_check CHECK (is_only),
  constraint secret_proof_pkey PRIMARY KEY (is_only)
);

create table sessions (
  token_hash bytea not null,
  id bigint not null generated always as identity,
  browser text not null default ''::text,
  account_id bigint not null,
  created_at timestamp with time zone not null,
  expires_at timestamp with time zone not null,
  constraint sessions_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id),
  constraint sessions_id_key UNIQUE (id),
  constraint sessions_pkey PRIMARY KEY (token_hash)
);

create table set_aside_rows (
  load_id bigint not null,
  line integer not null,
  reason text not null,
  raw text not null,
  constraint set_aside_rows_load_id_fkey FOREIGN KEY (load_id) REFERENCES loads(id),
  constraint set_aside_rows_pkey PRIMARY KEY (load_id, line)
);

create table sign_in_links (
  token_hash bytea not null,
  address text not null,
  next_path text not null,
  expires_at timestamp with time zone not null,
  constraint sign_in_links_pkey PRIMARY KEY (token_hash)
);

create table sources (
  source text not null,
  name text not null,
  homepage text,
  access text not null,
  time_zone text,
  premium_percent numeric,
  last_success_at timestamp with time zone,
  last_load_id bigint,
  last_live_rows integer,
  closes_from_hour smallint not null default 10,
  closes_by_hour smallint not null default 24,
  photos_checked_at timestamp with time zone,
  photos_status smallint,
  photos_since timestamp with time zone,
  publisher_changed_at timestamp with time zone,
  constraint sources_last_load_id_fkey FOREIGN KEY (last_load_id) REFERENCES loads(id),
  constraint sources_pkey PRIMARY KEY (source),
  constraint sources_premium_percent_check CHECK (((premium_percent >= (0)::numeric) AND (premium_percent <= (100)::numeric))),
  constraint sources_source_check CHECK ((source ~ '^[a-z0-9][a-z0-9-]{0,63}$'::text))
);

create table stripe_events (
  id text not null,
  received_at timestamp with time zone not null,
  constraint stripe_events_pkey PRIMARY KEY (id)
);

create table sweeps (
  source text not null,
  tried_at timestamp with time zone,
  last_attempt_at timestamp with time zone,
  finished_at timestamp with time zone,
  outcome text,
  reason text,
  counted integer,
  failures integer not null default 0,
  wait_until timestamp with time zone,
  interval_seconds double precision,
  next_due_at timestamp with time zone,
  copy jsonb,
  loaded_at timestamp with time zone,
  constraint sweeps_outcome_check CHECK ((outcome = ANY (ARRAY['done'::text, 'refused'::text, 'failed'::text, 'dropped'::text]))),
  constraint sweeps_pkey PRIMARY KEY (source),
  constraint sweeps_source_fkey FOREIGN KEY (source) REFERENCES sources(source)
);

CREATE INDEX accounts_by_plan_until ON public.accounts USING btree (plan_until) WHERE (plan_until IS NOT NULL);

CREATE INDEX alert_attempts_by_delivery ON public.alert_attempts USING btree (delivery_id, attempted_at);

CREATE INDEX alert_attempts_by_moment ON public.alert_attempts USING brin (attempted_at);

CREATE INDEX alert_deliveries_by_account ON public.alert_deliveries USING btree (account_id, created_at DESC);

CREATE INDEX alert_deliveries_by_endpoint ON public.alert_deliveries USING btree (endpoint_id, created_at DESC, id DESC) WHERE (endpoint_id IS NOT NULL);

CREATE INDEX alert_deliveries_by_match ON public.alert_deliveries USING btree (match_id) WHERE (match_id IS NOT NULL);

CREATE INDEX alert_deliveries_by_search ON public.alert_deliveries USING btree (search_id) WHERE (search_id IS NOT NULL);

CREATE INDEX alert_deliveries_due ON public.alert_deliveries USING btree (lane, due_at) WHERE (due_at IS NOT NULL);

CREATE INDEX alert_endpoints_by_account ON public.alert_endpoints USING btree (account_id);

CREATE INDEX alert_matches_by_moment ON public.alert_matches USING brin (matched_at);

CREATE INDEX alert_matches_by_time ON public.alert_matches USING btree (search_id, matched_at DESC);

CREATE INDEX closed_lots_by_title ON public.lots USING btree (title_at_place(title, source, state, COALESCE("left"(zip, 5), city)), ends_at) WHERE (NOT is_open);

CREATE INDEX closes_by_day ON public.closes USING btree (day);

CREATE INDEX doubted_lots_by_source ON public.doubted_lots USING btree (source);

CREATE INDEX duplicates ON public.lots USING btree (duplicate_of) WHERE (duplicate_of IS NOT NULL);

CREATE INDEX estimates_by_day ON public.estimates USING btree (day);

CREATE INDEX keys_by_account ON public.keys USING btree (account_id);

CREATE INDEX limits_by_day ON public.limits USING btree (day);

CREATE INDEX lot_changes_by_lot ON ONLY public.lot_changes USING btree (lot_id, seq);

CREATE INDEX lots_by_auction ON public.lots USING btree (auction_id) INCLUDE (starts_at, ends_at, state, city) WHERE (is_open AND (auction_id IS NOT NULL));

CREATE INDEX lots_by_slug ON public.lots USING btree (slug);

CREATE INDEX lots_by_source_url ON public.lots USING btree (((md5(source_url))::uuid));

CREATE INDEX lots_by_title_fingerprint ON public.lots USING btree (title_fingerprint) WHERE (title_fingerprint IS NOT NULL);

CREATE INDEX lots_by_vehicle_fingerprint ON public.lots USING btree (vehicle_fingerprint) WHERE (vehicle_fingerprint IS NOT NULL);

CREATE INDEX open_lots_by_end ON public.lots USING btree (ends_at, id) INCLUDE (starts_at) WHERE is_open;

CREATE INDEX open_lots_by_price ON public.lots USING btree (price_cents, id) INCLUDE (ends_at, starts_at) WHERE is_open;

CREATE INDEX open_lots_by_source ON public.lots USING btree (source, ends_at, id) INCLUDE (starts_at) WHERE is_open;

CREATE INDEX open_lots_by_words ON public.lots USING gin (search) WHERE is_open;

CREATE INDEX sales_by_bids ON public.lots USING btree (num_bids DESC, id) INCLUDE (category, state, source, item) WHERE ((sold_at IS NOT NULL) AND (duplicate_of IS NULL));

CREATE INDEX sales_by_category ON public.lots USING btree (category, sold_at) INCLUDE (state, final_bid_cents, num_bids, price_basis, is_piece, vehicle_year) WHERE ((sold_at IS NOT NULL) AND (duplicate_of IS NULL));

CREATE INDEX sales_by_item ON public.lots USING btree (item, sold_at) INCLUDE (state, final_bid_cents, num_bids, price_basis, is_piece, vehicle_year) WHERE ((sold_at IS NOT NULL) AND (duplicate_of IS NULL));

CREATE INDEX sales_by_price ON public.lots USING btree (final_bid_cents, id) INCLUDE (category, state, source, item) WHERE ((sold_at IS NOT NULL) AND (duplicate_of IS NULL));

CREATE INDEX sales_by_state ON public.lots USING btree (state, sold_at) INCLUDE (final_bid_cents, num_bids, price_basis, is_piece, vehicle_year) WHERE ((sold_at IS NOT NULL) AND (duplicate_of IS NULL));

CREATE INDEX sales_by_time ON public.lots USING btree (sold_at, id) WHERE ((sold_at IS NOT NULL) AND (duplicate_of IS NULL));

CREATE INDEX sales_by_words ON public.lots USING gin (sold_words) WHERE ((sold_at IS NOT NULL) AND (duplicate_of IS NULL));

CREATE INDEX saved_searches_by_account ON public.saved_searches USING btree (account_id);

CREATE INDEX saved_searches_by_least_score ON public.saved_searches USING btree ((((query ->> 'min_flip_score'::text))::integer)) WHERE ((query ? 'min_flip_score'::text) AND (NOT is_paused));

CREATE INDEX saved_searches_by_least_value ON public.saved_searches USING btree ((((query ->> 'value_min'::text))::numeric)) WHERE ((query ? 'value_min'::text) AND (NOT is_paused));

CREATE INDEX saved_searches_mail_due ON public.saved_searches USING btree (mail_due_at) WHERE (mail_due_at IS NOT NULL);

CREATE INDEX scoring_queue_by_due ON public.scoring_queue USING btree (due_at, lot_id);

CREATE INDEX searches_by_bids ON public.lots USING btree (num_bids DESC, id) INCLUDE (starts_at, ends_at) WHERE is_open;

CREATE INDEX searches_by_category ON public.lots USING btree (category, ends_at, id) INCLUDE (starts_at, state, price_cents) WHERE is_open;

CREATE INDEX searches_by_end ON public.lots USING btree (ends_at, id) INCLUDE (starts_at, price_cents, flip_score, approximate_value_cents, num_bids, buy_now_cents, vehicle_year, vehicle_make, category, state, source) WHERE is_open;

CREATE INDEX searches_by_place ON public.lots USING btree (latitude, longitude) INCLUDE (starts_at, ends_at, category, price_cents, id) WHERE is_open;

CREATE INDEX searches_by_price_down ON public.lots USING btree (price_cents DESC NULLS LAST, id) INCLUDE (starts_at, ends_at) WHERE is_open;

CREATE INDEX searches_by_profit ON public.lots USING btree (expected_profit_cents DESC NULLS LAST, id) INCLUDE (starts_at, ends_at) WHERE is_open;

CREATE INDEX searches_by_room ON public.lots USING btree (room_rank DESC NULLS LAST, approximate_value_cents DESC NULLS LAST, id) INCLUDE (starts_at, ends_at) WHERE is_open;

CREATE INDEX searches_by_score ON public.lots USING btree (flip_score DESC NULLS LAST, room_rank DESC NULLS LAST, approximate_value_cents DESC NULLS LAST, id) INCLUDE (starts_at, ends_at) WHERE is_open;

CREATE INDEX searches_by_start ON public.lots USING btree (starts_at DESC, id) INCLUDE (ends_at) WHERE is_open;

CREATE INDEX searches_by_state ON public.lots USING btree (state, ends_at, id) INCLUDE (starts_at, category, price_cents) WHERE is_open;

CREATE INDEX sessions_by_account ON public.sessions USING btree (account_id);

CREATE INDEX sign_in_links_by_address ON public.sign_in_links USING btree (address);

create view sales as
 SELECT id,
    source,
    source_id,
    title,
    category,
    item,
    state,
    final_bid_cents,
    num_bids,
    price_basis,
    sold_at,
    source_url,
    slug,
    zip,
    sold_words,
    is_piece,
    vehicle_year
   FROM lots
  WHERE ((sold_at IS NOT NULL) AND (duplicate_of IS NULL));

create view settled_limits as
 WITH closed AS (
         SELECT limits.lot_id,
            limits.limit_cents,
            limits.grade,
            to_char((lots.ends_at AT TIME ZONE 'utc'::text), 'YYYY-MM'::text) AS month,
            lots.final_bid_cents,
            lots.zip,
            lots.sold_at,
            (lots.price_basis <> 'last_observed'::text) AS is_real,
            regexp_replace(lower(lots.title), '[^a-z0-9]'::text, ''::text, 'g'::text) AS letters,
            round(((lots.final_bid_cents)::numeric * ((1)::numeric + (COALESCE(lots.buyers_premium_percent, sources.premium_percent, (0)::numeric) / (100)::numeric)))) AS paid_cents
           FROM ((limits
             JOIN lots ON ((lots.id = limits.lot_id)))
             LEFT JOIN sources USING (source))
          WHERE (NOT lots.is_open)
        ), again AS (
         SELECT regexp_replace(lower(sales.title), '[^a-z0-9]'::text, ''::text, 'g'::text) AS letters,
            sales.id,
            sales.final_bid_cents,
            sales.zip,
            sales.sold_at
           FROM sales
          WHERE ((sales.price_basis <> 'last_observed'::text) AND (sales.sold_at >= ( SELECT min(closed.sold_at) AS min
                   FROM closed)))
        ), resales AS (
         SELECT closed.lot_id,
            percentile_cont((0.5)::double precision) WITHIN GROUP (ORDER BY ((again.final_bid_cents)::double precision)) AS resold_cents
           FROM (closed
             JOIN again USING (letters))
          WHERE ((again.id <> closed.lot_id) AND (again.sold_at >= closed.sold_at) AND (((again.sold_at)::date <> (closed.sold_at)::date) OR (again.zip IS DISTINCT FROM closed.zip)))
          GROUP BY closed.lot_id
        ), settled AS (
         SELECT closed.lot_id,
            closed.limit_cents,
            closed.grade,
            closed.month,
            closed.final_bid_cents,
            closed.zip,
            closed.sold_at,
            closed.is_real,
            closed.letters,
            closed.paid_cents,
            resales.resold_cents,
            COALESCE((closed.is_real AND (closed.final_bid_cents <= closed.limit_cents)), false) AS is_under
           FROM (closed
             LEFT JOIN resales USING (lot_id))
        ), counted AS (
         SELECT settled.month,
            settled.grade,
            count(*) AS closed,
            count(*) FILTER (WHERE settled.is_real) AS with_price,
            count(*) FILTER (WHERE settled.is_under) AS under,
            sum(settled.paid_cents) FILTER (WHERE settled.is_under) AS paid_cents,
            count(*) FILTER (WHERE (settled.is_under AND (settled.resold_cents IS NOT NULL))) AS resold,
            sum(settled.paid_cents) FILTER (WHERE (settled.is_under AND (settled.resold_cents IS NOT NULL))) AS paid_of_resold_cents,
            sum(settled.resold_cents) FILTER (WHERE settled.is_under) AS resold_cents,
            sum((((0.88)::double precision * settled.resold_cents) - (settled.paid_cents)::double precision)) FILTER (WHERE settled.is_under) AS left_cents
           FROM settled
          GROUP BY GROUPING SETS ((settled.month, settled.grade), ())
        )
 SELECT month,
    grade,
    closed,
    with_price,
    under,
        CASE
            WHEN (under >= 30) THEN (paid_cents)::bigint
            ELSE NULL::bigint
        END AS paid_cents,
    resold,
        CASE
            WHEN (resold >= 30) THEN (paid_of_resold_cents)::bigint
            ELSE NULL::bigint
        END AS paid_of_resold_cents,
        CASE
            WHEN (resold >= 30) THEN (resold_cents)::bigint
            ELSE NULL::bigint
        END AS resold_cents,
        CASE
            WHEN (resold >= 30) THEN (left_cents)::bigint
            ELSE NULL::bigint
        END AS left_cents
   FROM counted
  WHERE (closed > 0);

create view unlogged_limits as
 SELECT lots.id AS lot_id,
    lots.source,
    lots.limit_cents,
    lots.value_grade AS grade,
    lots.ends_at,
    earliest_close(lots.ends_at, sources.time_zone, sources.closes_from_hour) AS closes_at
   FROM ((lots
     JOIN sources USING (source))
     JOIN appraisals ON ((appraisals.lot_id = lots.id)))
  WHERE (lots.is_open AND (lots.duplicate_of IS NULL) AND (lots.limit_cents IS NOT NULL) AND (NOT (EXISTS ( SELECT
           FROM limits
          WHERE (limits.lot_id = lots.id)))));

CREATE TRIGGER alert_matches_wait_for_mail AFTER INSERT ON public.alert_matches REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION wait_for_mail();

CREATE TRIGGER log_changed_lots AFTER UPDATE ON public.lots REFERENCING OLD TABLE AS before_change NEW TABLE AS changed FOR EACH STATEMENT WHEN ((pg_trigger_depth() = 0)) EXECUTE FUNCTION log_changed_lots();

CREATE TRIGGER log_new_lots AFTER INSERT ON public.lots REFERENCING NEW TABLE AS added FOR EACH STATEMENT WHEN ((pg_trigger_depth() = 0)) EXECUTE FUNCTION log_new_lots();

CREATE TRIGGER log_score BEFORE UPDATE OF flip_score, approximate_value_cents ON public.lots FOR EACH ROW WHEN (((old.flip_score IS DISTINCT FROM new.flip_score) OR (old.approximate_value_cents IS DISTINCT FROM new.approximate_value_cents))) EXECUTE FUNCTION log_score();

CREATE TRIGGER lots_added AFTER INSERT ON public.lots REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION count_added_lots();

CREATE TRIGGER lots_changed AFTER UPDATE ON public.lots REFERENCING OLD TABLE AS before_change NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION change_data_version_if_any();

CREATE TRIGGER lots_removed AFTER DELETE OR TRUNCATE ON public.lots FOR EACH STATEMENT EXECUTE FUNCTION count_removed_lots();

CREATE TRIGGER regroup_changed_lots AFTER UPDATE ON public.lots REFERENCING OLD TABLE AS lots_before NEW TABLE AS lots_after FOR EACH STATEMENT WHEN ((pg_trigger_depth() = 0)) EXECUTE FUNCTION regroup_changed_lots();

CREATE TRIGGER regroup_new_lots AFTER INSERT ON public.lots REFERENCING NEW TABLE AS new_lots FOR EACH STATEMENT WHEN ((pg_trigger_depth() = 0)) EXECUTE FUNCTION regroup_new_lots();

CREATE TRIGGER saved_searches_forget_matches AFTER DELETE ON public.saved_searches REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION forget_matches();

CREATE TRIGGER saved_searches_mail_again BEFORE UPDATE OF cadence, by_mail, is_paused ON public.saved_searches FOR EACH ROW EXECUTE FUNCTION calculate_mail_again();

CREATE TRIGGER sources_changed AFTER INSERT OR DELETE OR UPDATE ON public.sources FOR EACH STATEMENT EXECUTE FUNCTION change_data_version();
