-- Every lot that was ever seen: one row for its whole life, sale included.

create table sources (
  source text primary key check (source ~ '^[a-z0-9][a-z0-9-]{0,63}$'),
  name text not null,
  homepage text,
  access text not null,
  time_zone text,
  -- Null where it is not known; a price then counts without it.
  premium_percent numeric check (premium_percent between 0 and 100),
  last_success_at timestamptz
);

-- A name-based UUID (RFC 9562, version 3): the same lot has the same id in every database with the encoding UTF8. `convert_to` is not
-- immutable, so PostgreSQL would not inline this function: 8 µs a lot instead of 2. The cast reads a backslash as an escape.
create function lot_id(source text, source_id text) returns uuid
language sql immutable strict parallel safe
return overlay(
  overlay(md5('\x6ba7b8119dad11d180b400c04fd430c8'::bytea || replace(source || ':' || source_id, '\', '\\')::bytea) placing '3' from 13)
  placing '8' from 17
)::uuid;

-- Makes a slug unique by adding the start of the id.
create function slug_apart(slug text, source text, source_id text) returns text
language sql immutable parallel safe
return slug || '-' || left(lot_id(source, source_id)::text, 8);

-- Where a lot is offered. Demo lots have the mark '/' instead of an address: they lead to their own page on this service.
create function official_page(source_url text, slug text, public_url text) returns text
language sql immutable parallel safe
return case when source_url = '/' then public_url || '/listings/' || slug else source_url end;

-- Stable and not strict, so that PostgreSQL inlines it (to_char is not immutable): 15,000 calls, as an export makes, take 45 ms less.
create function rfc3339(moment timestamptz) returns text
language sql stable parallel safe
return case when isfinite(moment) then to_char(moment at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') end;

-- Separates letters from digits and drops punctuation, so that F-150, F150 and F 150 are one phrase; searchWords.ts does the same to
-- a query. PostgreSQL pays for every match of a regular expression, so single blanks are left alone.
create function searchable(words text) returns text
language sql immutable strict parallel safe
return regexp_replace(
  words,
  '[^[:alnum:] ]+|(?<=[[:alpha:]])(?=[[:digit:]])|(?<=[[:digit:]])(?=[[:alpha:]])', ' ', 'g'
);

-- The search vector of a lot; null unless `is_searched`. A is the title, B what was read from the lot, C what its description says of
-- it, D its place. The item and the number at the source are also one word each, without punctuation.
create function lot_search(
  title text, item text, read text, describing text, place text, source_id text, is_searched boolean
) returns tsvector
language sql immutable parallel safe
return case
  when is_searched then
    setweight(to_tsvector('english', searchable(title)), 'A')
    || setweight(to_tsvector('english', searchable(read || ' ' || item) || ' ' || replace(item, '-', '')), 'B')
    || setweight(to_tsvector('english', searchable(coalesce(describing, ''))), 'C')
    || setweight(to_tsvector('english', searchable(place)), 'D')
    || setweight(to_tsvector('english', regexp_replace(replace(source_id, '-', ''), '[^[:alnum:]]+', '', 'g')), 'D')
end;

create function lot_status(outcome text, starts_at timestamptz, ends_at timestamptz, moment timestamptz) returns text
language sql immutable parallel safe
return case
  when outcome is not null then outcome
  when ends_at <= moment then 'ended'
  when starts_at > moment then 'upcoming'
  else 'live'
end;

-- The number of an auction day. A day begins at 10:00 UTC, which is midnight in Hawaii and five or six in the morning in the East: the
-- afternoon of a day and its last second, which stands for a day without a time, are then one day in all fifty states.
-- This function and the next two are not strict, so that PostgreSQL inlines them: 7 µs a lot instead of 97.
create function auction_day(moment timestamptz) returns integer
language sql immutable parallel safe
return case
  when isfinite(moment) then floor((extract(epoch from moment at time zone 'utc') - 36000) / 86400)::integer
end;

-- Equal for lots with the same letters and digits in the title, the same state and the same day of ending. `replace` removes blanks
-- before the regular expression sees them, which halves the time.
create function title_fingerprint(title text, state text, ends_at timestamptz) returns uuid
language sql immutable parallel safe
return md5(
  nullif(lower(regexp_replace(replace(title, ' ', ''), '[^[:alnum:]]+', '', 'g')), '') || ' ' || state || ' ' || auction_day(ends_at)::text
)::uuid;

-- Equal for lots with the same vehicle identification number and day of ending. The number is the first in the text: 17 letters and
-- digits (no I, O or Q), the last four digits. Trailers and imports often have no valid check digit, so it is not tested.
create function vehicle_fingerprint(words text, ends_at timestamptz) returns uuid
language sql immutable parallel safe
return md5(
  upper(substring(words from '(?i)\m[a-hj-npr-z0-9]{13}\d{4}\M')) || ' ' || auction_day(ends_at)::text
)::uuid;

create table lots (
  id uuid primary key generated always as (lot_id(source, source_id)) stored,
  source text not null references sources (source),
  source_id text not null,
  slug text not null,
  title text not null,
  description text,
  -- What the description of an open lot says of the lot itself, without standard clauses; null for none.
  describing text,
  category text not null,
  item text,
  quantity integer,
  -- Whether the title sells one piece: no quantity, no plural.
  is_piece boolean not null default true,
  vehicle_year integer,
  vehicle_make text,
  vehicle_model text,
  state text,
  city text,
  zip text,
  latitude float8,
  longitude float8,
  current_bid_cents bigint,
  buy_now_cents bigint,
  starting_bid_cents bigint,
  price_cents bigint generated always as (coalesce(current_bid_cents, starting_bid_cents, buy_now_cents)) stored,
  num_bids integer not null default 0,
  -- auction or fixed_price; an open list.
  offer_kind text not null default 'auction',
  condition_grade text,
  image_url text,
  source_url text not null,
  starts_at timestamptz not null default '-infinity',
  ends_at timestamptz not null default 'infinity',
  outcome text check (outcome in ('sold', 'unsold', 'withdrawn')),
  -- False once the lot is known to have ended. A search also compares the clock, so this only keeps the indexes small.
  is_open boolean not null,
  final_bid_cents bigint,
  price_basis text check (price_basis in ('awarded', 'closed_high_bid', 'last_observed')),
  sold_at timestamptz,
  flip_score smallint,
  -- The score as the log of changes last had it (0008_alerts.sql).
  logged_score smallint,
  -- What searches filter and sort by of its appraisal, null without one: how the value is known, the value rounded to two digits, and what
  -- it promises above the projected cost. Copies, so that a change changes the data version and an export reads no second table.
  value_grade text,
  approximate_value_cents bigint,
  expected_profit_cents bigint,
  -- The value as the log of changes last had it (0008_alerts.sql).
  logged_value_cents bigint,
  observed_at timestamptz not null,
  search tsvector generated always as (
    lot_search(
      title,
      coalesce(item, ''),
      category || ' ' || coalesce(vehicle_make, '') || ' ' || coalesce(vehicle_model, ''),
      describing,
      coalesce(city, '') || ' ' || coalesce(state, ''),
      source_id,
      is_open
    )
  ) stored,
  -- The words of a sale: A its title, B its category and item. Computed in the query instead, `-ford` took 9 s among 1,000,000 sales;
  -- stored, 0.7 s.
  sold_words tsvector generated always as (
    lot_search(title, coalesce(item, ''), category, null, '', '', sold_at is not null)
  ) stored,
  -- The lot of another source that counts in its place; null when the lot counts itself.
  duplicate_of uuid references lots (id) on delete set null,
  title_fingerprint uuid generated always as (title_fingerprint(title, state, ends_at)) stored,
  vehicle_fingerprint uuid generated always as (vehicle_fingerprint(title || ' ' || coalesce(description, ''), ends_at)) stored,
  unique (source, source_id),
  check (outcome is null or not is_open),
  check ((sold_at is null) = (price_basis is null)),
  check (sold_at is null or final_bid_cents > 0)
)
-- Room on every page for the next version of its rows: a load that sees lots again without a change then touches no index. The third
-- load of the same 103,000 lots takes a third less of the database's time.
with (fillfactor = 85);

create index lots_by_slug on lots (slug);
-- A digest, because addresses are long: 16 bytes a lot instead of about 70.
create index lots_by_source_url on lots ((md5(source_url)::uuid));
create index lots_by_title_fingerprint on lots (title_fingerprint) where title_fingerprint is not null;
create index lots_by_vehicle_fingerprint on lots (vehicle_fingerprint) where vehicle_fingerprint is not null;
create index duplicates on lots (duplicate_of) where duplicate_of is not null;
-- With starts_at in the index, PostgreSQL counts the exact total of a search without reading the lots.
create index open_lots_by_end on lots (ends_at, id) include (starts_at) where is_open;
create index open_lots_by_start on lots (starts_at desc, id) where is_open;
create index open_lots_by_price on lots (price_cents, id) include (ends_at, starts_at) where is_open;
create index open_lots_by_price_down on lots (price_cents desc nulls last, id) where is_open;
create index open_lots_by_bids on lots (num_bids desc, id) where is_open;
create index open_lots_by_score on lots (flip_score desc nulls last, id) where is_open;
create index open_lots_by_category on lots (category, ends_at, id) include (starts_at) where is_open;
create index open_lots_by_state on lots (state, ends_at, id) include (starts_at) where is_open;
create index open_lots_by_source on lots (source, ends_at, id) include (starts_at) where is_open;
create index open_lots_by_place on lots (latitude, longitude) where is_open;
create index open_lots_by_words on lots using gin (search) where is_open;
create index sales_by_category on lots (category, sold_at) include (state, final_bid_cents, num_bids, price_basis, is_piece, vehicle_year)
where sold_at is not null and duplicate_of is null;
create index sales_by_state on lots (state, sold_at) include (final_bid_cents, num_bids, price_basis, is_piece, vehicle_year)
where sold_at is not null and duplicate_of is null;
create index sales_by_item on lots (item, sold_at) include (state, final_bid_cents, num_bids, price_basis, is_piece, vehicle_year)
where sold_at is not null and duplicate_of is null;
-- For searches among sales: 39 and 15 MB with 1,000,000 of them. None by price: the planner then reads sales by price until 20 of an item
-- are found, although an item has few prices (452,000 rows instead of 19,000).
create index sales_by_time on lots (sold_at, id) where sold_at is not null and duplicate_of is null;
create index sales_by_words on lots using gin (sold_words)
where sold_at is not null and duplicate_of is null;

create view sales as
select id, source, source_id, title, category, item, state, final_bid_cents, num_bids, price_basis, sold_at, source_url, slug, zip,
  sold_words, is_piece, vehicle_year
from lots
where sold_at is not null and duplicate_of is null;
