-- What the migrations add up to. Derived by `make generate`; read it, never run it.

CREATE OR REPLACE FUNCTION public.admit(hashes bytea[], calls integer[], plans jsonb, moment timestamp with time zone)
 RETURNS TABLE(secret_hash bytea, key_id uuid, account_id bigint, plan text, month_limit integer, burst_limit integer, charged charge)
 LANGUAGE plpgsql
AS $function$
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
    update data_version set version = version + 1;
  end if;
  return null;
end
$function$
;

CREATE OR REPLACE FUNCTION public.charge(month_meter text, month_limit integer, burst_meter text, burst_limit integer, calls integer, moment timestamp with time zone)
 RETURNS charge
 LANGUAGE plpgsql
AS $function$
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
$function$
;

CREATE OR REPLACE FUNCTION public.give_back(month_meters text[], months date[], burst_meters text[], burst_starts timestamp with time zone[])
 RETURNS void
 LANGUAGE plpgsql
AS $function$
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
$function$
;

CREATE OR REPLACE FUNCTION public.lot_id(source text, source_id text)
 RETURNS uuid
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE STRICT
RETURN (OVERLAY(OVERLAY(md5(('\x6ba7b8119dad11d180b400c04fd430c8'::bytea || convert_to(((source || ':'::text) || source_id), 'UTF8'::name))) PLACING '3'::text FROM 13) PLACING '8'::text FROM 17))::uuid
;

CREATE OR REPLACE FUNCTION public.lot_status(outcome text, starts_at timestamp with time zone, ends_at timestamp with time zone, moment timestamp with time zone)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN (outcome IS NOT NULL) THEN outcome WHEN (ends_at <= moment) THEN 'ended'::text WHEN (starts_at > moment) THEN 'upcoming'::text ELSE 'live'::text END
;

CREATE OR REPLACE FUNCTION public.rfc3339(moment timestamp with time zone)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE STRICT
RETURN CASE WHEN isfinite(moment) THEN to_char((moment AT TIME ZONE 'utc'::text), 'YYYY-MM-DD"T"HH24:MI:SS"Z"'::text) ELSE NULL::text END
;

CREATE OR REPLACE FUNCTION public.searchable(words text)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE STRICT
RETURN regexp_replace(regexp_replace(words, '[^[:alnum:]]+'::text, ' '::text, 'g'::text), '([[:alpha:]])(?=[[:digit:]])|([[:digit:]])(?=[[:alpha:]])'::text, '\1\2 '::text, 'g'::text)
;

create table accounts (
  id bigint not null generated always as identity,
  owner text,
  created_at timestamp with time zone not null default now(),
  constraint accounts_owner_key UNIQUE (owner),
  constraint accounts_pkey PRIMARY KEY (id)
);

create table appraisals (
  lot_id uuid not null,
  estimated_value_cents bigint not null,
  all_in_cost_cents bigint,
  resale_margin_cents bigint,
  resale_margin_percent double precision,
  confidence double precision not null,
  sale_ids uuid[] not null,
  similarities double precision[] not null,
  flip_score smallint,
  factors jsonb,
  score_version text not null,
  scored_at timestamp with time zone not null,
  constraint appraisals_lot_id_fkey FOREIGN KEY (lot_id) REFERENCES lots(id) ON DELETE CASCADE,
  constraint appraisals_pkey PRIMARY KEY (lot_id)
);

create table burst_usage (
  meter text not null,
  started_at timestamp with time zone not null,
  used integer not null,
  constraint burst_usage_pkey PRIMARY KEY (meter)
) with (fillfactor=50);

create type charge (
  granted integer,
  month_used integer,
  month date,
  month_resets_in integer,
  burst_used integer,
  burst_started_at timestamp with time zone,
  burst_resets_in integer
);

create table data_version (
  is_only boolean not null default true,
  version bigint not null,
  constraint data_version_is_only_check CHECK (is_only),
  constraint data_version_pkey PRIMARY KEY (is_only)
) with (fillfactor=50);

create table keys (
  id uuid not null default gen_random_uuid(),
  account_id bigint not null,
  plan text not null,
  secret_hash bytea not null,
  hint text not null,
  calls_per_month integer,
  calls_per_minute integer,
  created_at timestamp with time zone not null default now(),
  revoked_at timestamp with time zone,
  constraint keys_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id),
  constraint keys_calls_per_minute_check CHECK ((calls_per_minute >= 0)),
  constraint keys_calls_per_month_check CHECK ((calls_per_month >= 0)),
  constraint keys_pkey PRIMARY KEY (id),
  constraint keys_plan_check CHECK ((plan = ANY (ARRAY['free'::text, 'pro'::text, 'pro_plus'::text, 'enterprise'::text]))),
  constraint keys_secret_hash_key UNIQUE (secret_hash)
);

create table load_sources (
  load_id bigint not null,
  source text not null,
  live_rows integer not null,
  finished_at timestamp with time zone not null,
  constraint load_sources_load_id_fkey FOREIGN KEY (load_id) REFERENCES loads(id),
  constraint load_sources_pkey PRIMARY KEY (load_id, source),
  constraint load_sources_source_fkey FOREIGN KEY (source) REFERENCES sources(source)
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

create table lots (
  id uuid not null generated always as (lot_id(source, source_id)) stored,
  source text not null,
  source_id text not null,
  slug text not null,
  title text not null,
  description text,
  category text not null,
  item text,
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
  observed_at timestamp with time zone not null,
  search tsvector generated always as (
CASE
    WHEN is_open THEN (setweight(to_tsvector('english'::regconfig, searchable(title)), 'A'::"char") || setweight(to_tsvector('english'::regconfig, searchable(COALESCE(description, ''::text))), 'B'::"char"))
    ELSE NULL::tsvector
END) stored,
  constraint lots_check CHECK (((outcome IS NULL) OR (NOT is_open))),
  constraint lots_check1 CHECK (((sold_at IS NULL) = (price_basis IS NULL))),
  constraint lots_check2 CHECK (((sold_at IS NULL) OR (final_bid_cents > 0))),
  constraint lots_outcome_check CHECK ((outcome = ANY (ARRAY['sold'::text, 'unsold'::text, 'withdrawn'::text]))),
  constraint lots_pkey PRIMARY KEY (id),
  constraint lots_price_basis_check CHECK ((price_basis = ANY (ARRAY['awarded'::text, 'closed_high_bid'::text, 'last_observed'::text]))),
  constraint lots_source_fkey FOREIGN KEY (source) REFERENCES sources(source),
  constraint lots_source_source_id_key UNIQUE (source, source_id)
);

create table migrations (
  name text not null,
  applied_at timestamp with time zone not null default now(),
  constraint migrations_pkey PRIMARY KEY (name)
);

create table monthly_usage (
  meter text not null,
  month date not null,
  used integer not null,
  constraint monthly_usage_pkey PRIMARY KEY (meter, month)
) with (fillfactor=50);

create table set_aside_rows (
  load_id bigint not null,
  line integer not null,
  reason text not null,
  raw text not null,
  constraint set_aside_rows_load_id_fkey FOREIGN KEY (load_id) REFERENCES loads(id),
  constraint set_aside_rows_pkey PRIMARY KEY (load_id, line)
);

create table sources (
  source text not null,
  name text not null,
  homepage text,
  access text not null,
  time_zone text,
  premium_percent numeric not null default 0,
  last_success_at timestamp with time zone,
  constraint sources_pkey PRIMARY KEY (source),
  constraint sources_source_check CHECK ((source ~ '^[a-z0-9][a-z0-9-]{0,63}$'::text))
);

CREATE INDEX keys_by_account ON public.keys USING btree (account_id);

CREATE INDEX load_sources_by_time ON public.load_sources USING btree (source, finished_at DESC);

CREATE INDEX lots_by_slug ON public.lots USING btree (slug);

CREATE INDEX open_lots_by_bids ON public.lots USING btree (num_bids DESC, id) WHERE is_open;

CREATE INDEX open_lots_by_category ON public.lots USING btree (category, ends_at, id) INCLUDE (starts_at) WHERE is_open;

CREATE INDEX open_lots_by_end ON public.lots USING btree (ends_at, id) INCLUDE (starts_at) WHERE is_open;

CREATE INDEX open_lots_by_place ON public.lots USING btree (latitude, longitude) WHERE is_open;

CREATE INDEX open_lots_by_price ON public.lots USING btree (price_cents, id) WHERE is_open;

CREATE INDEX open_lots_by_price_down ON public.lots USING btree (price_cents DESC NULLS LAST, id) WHERE is_open;

CREATE INDEX open_lots_by_score ON public.lots USING btree (flip_score DESC NULLS LAST, id) WHERE is_open;

CREATE INDEX open_lots_by_source ON public.lots USING btree (source, ends_at, id) INCLUDE (starts_at) WHERE is_open;

CREATE INDEX open_lots_by_start ON public.lots USING btree (starts_at DESC, id) WHERE is_open;

CREATE INDEX open_lots_by_state ON public.lots USING btree (state, ends_at, id) INCLUDE (starts_at) WHERE is_open;

CREATE INDEX open_lots_by_words ON public.lots USING gin (search) WHERE is_open;

CREATE INDEX sales_by_category ON public.lots USING btree (category, sold_at) INCLUDE (state, final_bid_cents, num_bids, price_basis) WHERE (sold_at IS NOT NULL);

CREATE INDEX sales_by_item ON public.lots USING btree (item, sold_at) INCLUDE (final_bid_cents, num_bids, price_basis) WHERE (sold_at IS NOT NULL);

CREATE INDEX sales_by_state ON public.lots USING btree (state, sold_at) INCLUDE (final_bid_cents, num_bids, price_basis) WHERE (sold_at IS NOT NULL);

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
    source_url
   FROM lots
  WHERE (sold_at IS NOT NULL);
