-- What is tracked, and every lot that was ever seen: one row for the whole life of a lot, sale included.

create table sources (
  source text primary key check (source ~ '^[a-z0-9][a-z0-9-]{0,63}$'),
  name text not null,
  homepage text,
  access text not null,
  time_zone text,
  premium_percent numeric not null default 0,
  last_success_at timestamptz
);

-- A name-based UUID (RFC 9562, version 3): the same lot has the same id in every database.
create function lot_id(source text, source_id text) returns uuid
language sql immutable strict parallel safe
return overlay(
  overlay(md5('\x6ba7b8119dad11d180b400c04fd430c8'::bytea || convert_to(source || ':' || source_id, 'UTF8')) placing '3' from 13)
  placing '8' from 17
)::uuid;

create function rfc3339(moment timestamptz) returns text
language sql immutable strict parallel safe
return case when isfinite(moment) then to_char(moment at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') end;

-- Letters and digits apart, punctuation gone, so that F-150, F150 and F 150 are one phrase; searchWords.ts does the same to a query.
create function searchable(words text) returns text
language sql immutable strict parallel safe
return regexp_replace(
  regexp_replace(words, '[^[:alnum:]]+', ' ', 'g'),
  '([[:alpha:]])(?=[[:digit:]])|([[:digit:]])(?=[[:alpha:]])', '\1\2 ', 'g'
);

create function lot_status(outcome text, starts_at timestamptz, ends_at timestamptz, moment timestamptz) returns text
language sql immutable parallel safe
return case
  when outcome is not null then outcome
  when ends_at <= moment then 'ended'
  when starts_at > moment then 'upcoming'
  else 'live'
end;

create table lots (
  id uuid primary key generated always as (lot_id(source, source_id)) stored,
  source text not null references sources (source),
  source_id text not null,
  slug text not null,
  title text not null,
  description text,
  category text not null,
  item text,
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
  condition_grade text,
  image_url text,
  source_url text not null,
  starts_at timestamptz not null default '-infinity',
  ends_at timestamptz not null default 'infinity',
  outcome text check (outcome in ('sold', 'unsold', 'withdrawn')),
  -- False once the lot is known to be over; a search also looks at the clock, so this only keeps the indexes small.
  is_open boolean not null,
  final_bid_cents bigint,
  price_basis text check (price_basis in ('awarded', 'closed_high_bid', 'last_observed')),
  sold_at timestamptz,
  flip_score smallint,
  observed_at timestamptz not null,
  search tsvector generated always as (
    case when is_open then
      setweight(to_tsvector('english', searchable(title)), 'A')
      || setweight(to_tsvector('english', searchable(coalesce(description, ''))), 'B')
    end
  ) stored,
  unique (source, source_id),
  check (outcome is null or not is_open),
  check ((sold_at is null) = (price_basis is null)),
  check (sold_at is null or final_bid_cents > 0)
);

create index lots_by_slug on lots (slug);
-- With starts_at in the index, the exact total of a search is counted without reading the lots.
create index open_lots_by_end on lots (ends_at, id) include (starts_at) where is_open;
create index open_lots_by_start on lots (starts_at desc, id) where is_open;
create index open_lots_by_price on lots (price_cents, id) where is_open;
create index open_lots_by_price_down on lots (price_cents desc nulls last, id) where is_open;
create index open_lots_by_bids on lots (num_bids desc, id) where is_open;
create index open_lots_by_score on lots (flip_score desc nulls last, id) where is_open;
create index open_lots_by_category on lots (category, ends_at, id) include (starts_at) where is_open;
create index open_lots_by_state on lots (state, ends_at, id) include (starts_at) where is_open;
create index open_lots_by_source on lots (source, ends_at, id) include (starts_at) where is_open;
create index open_lots_by_place on lots (latitude, longitude) where is_open;
create index open_lots_by_words on lots using gin (search) where is_open;

create view sales as
select id, source, source_id, title, category, item, state, final_bid_cents, num_bids, price_basis, sold_at, source_url
from lots
where sold_at is not null;

create index sales_by_category on lots (category, sold_at) include (state, final_bid_cents, num_bids, price_basis) where sold_at is not null;
create index sales_by_state on lots (state, sold_at) include (final_bid_cents, num_bids, price_basis) where sold_at is not null;
create index sales_by_item on lots (item, sold_at) include (final_bid_cents, num_bids, price_basis) where sold_at is not null;
