// The limit: Node's own server and one prepared statement a call, whose JSON PostgreSQL writes. No
// key, no count of calls, no checks. node --import tsx bench/limit.ts DATABASE_URL PORT
import { createServer } from 'node:http'
import postgres from 'postgres'
import { findZip } from '../src/infra/places/zipTables.ts'

const [databaseUrl = '', port = ''] = process.argv.slice(2)
const sql = postgres(databaseUrl)
/** Planned for the values of each call, as the filters that are null then cost nothing. */
const planned = postgres(databaseUrl, { connection: { plan_cache_mode: 'force_custom_plan' } })

const COLUMNS = `
  l.id, title, category, source, s.name as source_name, state, city, zip, current_bid_cents, buy_now_cents, starting_bid_cents,
  num_bids, flip_score, condition_grade, image_url, starts_at as start_date, ends_at as end_date, slug, source_url, observed_at, item,
  quantity, vehicle_year, vehicle_make, vehicle_model, premium_percent, duplicate_of, value_grade, approximate_value_cents, offer_kind,
  bid_increment_cents, auction_id, bid_conditions, approximate_close_cents, value_note, verdict`
const ONE_LOT = `
  select json_build_object('data', row_to_json(lot))::text as text
  from (select ${COLUMNS} from lots l join sources s using (source) where l.id = $1) as lot`
const STATISTICS = `json_build_object('data', json_build_object(
  'sold_count', count(*), 'min_cents', min(final_bid_cents), 'max_cents', max(final_bid_cents),
  'percentiles', percentile_cont(array[0.1, 0.25, 0.5, 0.75, 0.9]) within group (order by final_bid_cents)))::text as text`
const COMPS_OF_LOT = `
  select ${STATISTICS} from lots where id in (select unnest(sale_ids) from appraisals where lot_id = $1)`
const COMPS_OF_ITEM = `
  select ${STATISTICS} from sales where item = $1 and state = $2 and sold_at > now() - interval '365 days'`
const MATCHING = `
  is_open and starts_at <= now() and ends_at > now()
  and ($1::text is null or category = $1) and ($2::text is null or state = $2) and ($3::text is null or source = $3)
  and ($4::bigint is null or price_cents >= $4) and ($5::bigint is null or price_cents <= $5)
  and ($6::text is null or search @@ websearch_to_tsquery('english', $6))
  and ($7::float8 is null or 7917.6 * asin(least(1, sqrt(
    sin(radians(latitude - $7) / 2) ^ 2
    + cos(radians($7)) * cos(radians(latitude)) * sin(radians(longitude - $8::float8) / 2) ^ 2))) <= $9::float8)`
const ORDERS: Record<string, string> = {
  ending_soon: 'ends_at, id',
  newest: 'starts_at desc, id',
  price_low: 'price_cents, id',
  price_high: 'price_cents desc nulls last, id',
  most_bids: 'num_bids desc, id',
  best_deals: 'flip_score desc nulls last, id',
}
const searchBy = (order: string) => `
  select json_build_object(
    'total', (select count(*) from lots where ${MATCHING}),
    'data', (
      select json_agg(page)
      from (
        select ${COLUMNS} from lots l join sources s using (source)
        where ${MATCHING} order by ${order} limit $10::integer offset $11::integer
      ) as page
    ))::text as text`

createServer(async ({ url = '' }, res) => {
  const { pathname, searchParams } = new URL(url, 'http://limit')
  const [row] = await read(pathname, Object.fromEntries(searchParams))
  res.setHeader('content-type', 'application/json')
  res.end(row!.text)
}).listen(Number(port), '127.0.0.1')

function read(path: string, query: Record<string, string>) {
  const run = (on: postgres.Sql, text: string, values: (string | number | null)[]) =>
    on.unsafe<{ text: string }[]>(text, values, { prepare: true })
  if (path.startsWith('/api/v1/listings/'))
    return run(sql, ONE_LOT, [path.slice('/api/v1/listings/'.length)])
  if (query.listing_id) return run(sql, COMPS_OF_LOT, [query.listing_id])
  if (query.item) return run(sql, COMPS_OF_ITEM, [query.item, query.state!])
  const { category = null, state = null, source = null, q = null, zip, radius_miles = 50 } = query
  const { price_min, price_max, page = 1, per_page = 20, sort = 'ending_soon' } = query
  const place = zip ? findZip(zip) : null
  return run(planned, searchBy(ORDERS[sort]!), [
    ...[category, state, source, cents(price_min), cents(price_max), q],
    ...[place?.latitude ?? null, place?.longitude ?? null, radius_miles],
    ...[per_page, (Number(page) - 1) * Number(per_page)],
  ])
}

function cents(dollars: string | undefined) {
  return dollars === undefined ? null : Number(dollars) * 100
}
