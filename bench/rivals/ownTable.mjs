// Fills the rivals' own table: one plain row for each lot that is open now, and the indexes that the filters and orders of the
// search suggest. node bench/rivals/ownTable.mjs DATABASE_URL
import postgres from 'postgres'

const sql = postgres(process.argv[2], { max: 1, onnotice: () => {} })
await sql.unsafe(`
  drop schema if exists rival cascade;
  create schema rival;
  create table rival.lots (
    id uuid primary key,
    slug text not null,
    title text not null,
    description text,
    category text not null,
    source text not null,
    source_name text not null,
    state text,
    city text,
    zip text,
    latitude double precision,
    longitude double precision,
    current_bid_cents integer,
    buy_now_cents integer,
    starting_bid_cents integer,
    price_cents integer generated always as (coalesce(current_bid_cents, starting_bid_cents, buy_now_cents)) stored,
    num_bids integer not null,
    flip_score integer,
    condition_grade text,
    image_url text,
    source_url text not null,
    start_date timestamptz,
    end_date timestamptz not null,
    observed_at timestamptz not null,
    words tsvector generated always as (to_tsvector('english', title || ' ' || coalesce(description, ''))) stored
  );
  insert into rival.lots (
    id, slug, title, description, category, source, source_name, state, city, zip, latitude, longitude, current_bid_cents,
    buy_now_cents, starting_bid_cents, num_bids, flip_score, condition_grade, image_url, source_url, start_date, end_date,
    observed_at
  )
  select
    l.id, l.slug, l.title, l.description, l.category, l.source, s.name, l.state, l.city, l.zip, l.latitude, l.longitude,
    l.current_bid_cents, l.buy_now_cents, l.starting_bid_cents, l.num_bids, l.flip_score, l.condition_grade, l.image_url,
    l.source_url, l.starts_at, l.ends_at, l.observed_at
  from public.lots l
  join public.sources s on s.source = l.source
  where l.is_open and l.starts_at <= now() and l.ends_at > now() and l.ends_at < 'infinity' and l.starts_at > '-infinity';
  create index on rival.lots (end_date, id);
  create index on rival.lots (category, end_date, id);
  create index on rival.lots (state, end_date, id);
  create index on rival.lots (source, end_date, id);
  create index on rival.lots (price_cents, id);
  create index on rival.lots (start_date desc, id);
  create index on rival.lots (num_bids desc, id);
  create index on rival.lots (flip_score desc nulls last, id);
  create index on rival.lots (latitude, longitude);
  create index on rival.lots using gin (words);
`)
// Outside of the block above: a block is one transaction, and VACUUM must have its own.
await sql`vacuum analyze rival.lots`
const [{ lots }] = await sql`select count(*)::integer as lots from rival.lots`
await sql.end()
process.stdout.write(`${lots}\n`)
