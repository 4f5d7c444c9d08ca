// The card, plain: the same contract and database, as a day's work with the same libraries, without
// anything clever. It checks and counts a key, validates, dispatches, and asks PostgreSQL for the
// page and the exact number of all that match. node --import tsx bench/plainCard.ts DATABASE_URL
// PORT KEY
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { Server } from '@modelcontextprotocol/sdk/server/index.js'
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js'
import { CallToolRequestSchema } from '@modelcontextprotocol/sdk/types.js'
import express, { type Request, type Response } from 'express'
import * as OpenApiValidator from 'express-openapi-validator'
import { type Context, OpenAPIBackend } from 'openapi-backend'
import postgres from 'postgres'
import { parse } from 'yaml'
import { projectFile } from '../src/contract/projectFile.ts'
import { findZip } from '../src/infra/places/zipTables.ts'

const [databaseUrl = '', port = '', key = ''] = process.argv.slice(2)
const bigint = { to: 20, from: [20], parse: Number, serialize: String }
const sql = postgres(databaseUrl, { types: { bigint }, onnotice: () => {} })
const contract = () => parse(readFileSync(projectFile('openapi.yaml'), 'utf8'))

await sql`create schema if not exists card`
await sql`create table if not exists card.keys (hash text primary key, calls integer not null, quota integer not null)`
await sql`insert into card.keys values (${hashOf(key)}, 0, 1000000000) on conflict do nothing`

function hashOf(text: string) {
  return createHash('sha256').update(text).digest('hex')
}

interface Search extends Record<string, string | number | undefined> {
  sort?: string
  page?: number
  per_page?: number
}

const ORDERS: Record<string, postgres.PendingQuery<postgres.Row[]>> = {
  ending_soon: sql`ends_at, id`,
  newest: sql`starts_at desc, id`,
  price_low: sql`price_cents, id`,
  price_high: sql`price_cents desc nulls last, id`,
  most_bids: sql`num_bids desc, id`,
  best_deals: sql`flip_score desc nulls last, id`,
}

function columns({ zip }: Search = {}) {
  return sql`
    l.id, title, category, source, s.name as source_name, state, city, zip, current_bid_cents, buy_now_cents, starting_bid_cents,
    num_bids, flip_score, condition_grade, image_url, starts_at as start_date, ends_at as end_date, 'open' as status,
    ${`http://127.0.0.1:${port}/listings/`}::text || slug as bidprowl_url, source_url,
    ${zip ? milesFrom(zip) : sql`null`} as distance_miles, observed_at, item, quantity, vehicle_year, vehicle_make, vehicle_model,
    premium_percent::float8 as buyers_premium_percent, duplicate_of as also_listed_as, value_grade is not null as appraised,
    value_grade, approximate_value_cents, offer_kind, bid_increment_cents, current_bid_cents + bid_increment_cents as next_bid_cents,
    'second' as end_precision, auction_id, bid_conditions, approximate_close_cents, value_note, verdict`
}

/** The haversine formula. */
function milesFrom(zip: string | number) {
  const { latitude, longitude } = findZip(String(zip))!
  return sql`7917.6 * asin(least(1, sqrt(
    sin(radians(latitude - ${latitude}) / 2) ^ 2
    + cos(radians(${latitude})) * cos(radians(latitude)) * sin(radians(longitude - ${longitude}) / 2) ^ 2)))`
}

async function searchLots(search: Search) {
  const { q, category, state, source, price_min, price_max, zip, radius_miles = 50 } = search
  const { page = 1, per_page = 20, sort = 'ending_soon' } = search
  const matching = sql`
    is_open and starts_at <= now() and ends_at > now()
    ${category ? sql`and category = ${category}` : sql``}
    ${state ? sql`and state = ${state}` : sql``}
    ${source ? sql`and source = ${source}` : sql``}
    ${price_min ? sql`and price_cents >= ${Number(price_min) * 100}` : sql``}
    ${price_max ? sql`and price_cents <= ${Number(price_max) * 100}` : sql``}
    ${q ? sql`and search @@ websearch_to_tsquery('english', ${q})` : sql``}
    ${zip ? sql`and ${milesFrom(zip)} <= ${radius_miles}` : sql``}`
  const [data, [counted]] = await Promise.all([
    sql`
      select ${columns(search)}
      from lots l
      join sources s using (source)
      where ${matching}
      order by ${ORDERS[sort]!}
      limit ${per_page} offset ${(page - 1) * per_page}`,
    sql<{ total: number }[]>`select count(*) as total from lots where ${matching}`,
  ])
  const { total } = counted!
  return { data, page, per_page, total, total_pages: Math.ceil(total / per_page) }
}

const STATISTICS = sql`
  count(*) as sold_count, min(final_bid_cents) as min_cents, max(final_bid_cents) as max_cents, avg(final_bid_cents)::bigint as average_cents,
  percentile_cont(0.5) within group (order by final_bid_cents)::bigint as median_cents,
  percentile_cont(array[0.1, 0.25, 0.75, 0.9]) within group (order by final_bid_cents)::bigint[] as percentiles`

async function getComps({ listing_id, item, state }: Record<string, string | undefined>) {
  const [data] = listing_id
    ? await sql`
      select ${STATISTICS}, json_agg(json_build_object('title', title, 'price_cents', final_bid_cents, 'sold_at', sold_at)) as comparables
      from lots
      where id in (select unnest(sale_ids) from appraisals where lot_id = ${listing_id})`
    : await sql`
      select ${STATISTICS}
      from sales
      where item = ${item!} and sold_at > now() - interval '365 days' ${state ? sql`and state = ${state}` : sql``}`
  return { data }
}

async function answerTool(req: Request, res: Response) {
  const server = new Server({ name: 'card', version: '1.0.0' }, { capabilities: { tools: {} } })
  server.setRequestHandler(CallToolRequestSchema, async ({ params }) => {
    const found = await searchLots(params.arguments as Search)
    return { content: [{ type: 'text', text: JSON.stringify(found) }], structuredContent: found }
  })
  const transport = new StreamableHTTPServerTransport({ enableJsonResponse: true })
  await server.connect(transport as never)
  await transport.handleRequest(req, res, req.body)
}

const api = new OpenAPIBackend({
  definition: contract(),
  quick: true,
  strict: false,
  validate: false,
})
api.register({
  searchListings: async (_: Context, req: Request, res: Response) =>
    res.json(await searchLots(req.query as never)),
  getListing: async ({ request }: Context, _req: Request, res: Response) => {
    const { id } = request.params as { id: string }
    const [data] =
      await sql`select ${columns()} from lots l join sources s using (source) where l.id = ${id}`
    return data ? res.json({ data }) : res.status(404).json({ error: 'There is no such lot.' })
  },
  getComps: async (_: Context, req: Request, res: Response) =>
    res.json(await getComps(req.query as never)),
  callMcp: (_: Context, req: Request, res: Response) => answerTool(req, res),
})
const app = express()
app.use(express.json())
app.use(async ({ headers }, res, next) => {
  const hash = hashOf(headers.authorization?.replace(/^Bearer /, '') ?? '')
  const [counted] = await sql<{ remaining: number }[]>`
    update card.keys set calls = calls + 1 where hash = ${hash} and calls < quota returning quota - calls as remaining`
  if (!counted)
    return void res.status(401).json({ error: 'The key is unknown, or its quota is used up.' })
  res.set('X-RateLimit-Remaining', String(counted.remaining))
  next()
})
app.use(OpenApiValidator.middleware({ apiSpec: contract(), validateSecurity: false }))
app.use(async (req, res) => {
  const { method, path, headers, body } = req
  await api.handleRequest(
    { method, path, headers: headers as Record<string, string>, body },
    req,
    res,
  )
})
app.listen(Number(port), '127.0.0.1')
