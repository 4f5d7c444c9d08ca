// The endpoint that somebody writes by hand: Fastify, postgres.js with its default pool of ten connections and its prepared
// statements, a plain table, an exact count, JSON by the framework. No key, no quota. node bench/rivals/fastify.mjs DATABASE_URL PORT [KEY]
// With a key it checks the key of each call and counts it against a quota, as its author would: one statement, committed before the answer.
import { createHash } from 'node:crypto'
import Fastify from 'fastify'
import postgres from 'postgres'
import zipcodes from 'zipcodes'

const [url, port, key] = process.argv.slice(2)
const sql = postgres(url)
const app = Fastify()

if (key) {
  await sql`create table if not exists rival.keys (hash text primary key, calls integer not null, quota integer not null)`
  await sql`insert into rival.keys values (${hashOf(key)}, 0, 1000000000) on conflict do nothing`
  app.addHook('onRequest', async ({ headers }, reply) => {
    const hash = hashOf(headers.authorization?.replace(/^Bearer /, '') ?? '')
    const [counted] = await sql`
      update rival.keys set calls = calls + 1 where hash = ${hash} and calls < quota returning quota - calls as remaining`
    if (!counted) return reply.code(401).send({ error: 'The key is unknown, or its quota is used up.' })
    reply.header('X-RateLimit-Remaining', counted.remaining)
  })
}

function hashOf(text) {
  return createHash('sha256').update(text).digest('hex')
}

const ORDERS = {
  ending_soon: sql`end_date, id`,
  newest: sql`start_date desc, id`,
  price_low: sql`price_cents nulls last, id`,
  price_high: sql`price_cents desc nulls last, id`,
  most_bids: sql`num_bids desc, id`,
  best_deals: sql`flip_score desc nulls last, id`,
}
const MILES_A_DEGREE = 69.09

function columns(place) {
  return sql`
    id, title, category, source, source_name, state, city, zip, current_bid_cents, buy_now_cents, starting_bid_cents, num_bids,
    flip_score, condition_grade, image_url, start_date, end_date, 'open' as status,
    ${`http://127.0.0.1:${port}/lots/`} || slug as bidprowl_url, source_url,
    ${place ? milesFrom(place) : sql`null::double precision`} as distance_miles, observed_at`
}

/** Great circle, by the spherical law of cosines. */
function milesFrom({ latitude, longitude }) {
  return sql`3958.8 * acos(least(1,
    sin(radians(latitude)) * sin(radians(${latitude}))
    + cos(radians(latitude)) * cos(radians(${latitude})) * cos(radians(longitude - ${longitude}))))`
}

function within(place, miles) {
  const degrees = miles / MILES_A_DEGREE
  const wide = degrees / Math.cos((place.latitude * Math.PI) / 180)
  return sql`
    and latitude between ${place.latitude - degrees} and ${place.latitude + degrees}
    and longitude between ${place.longitude - wide} and ${place.longitude + wide}
    and ${milesFrom(place)} <= ${miles}`
}

app.get('/api/v1/listings', async ({ query }) => {
  const page = Number(query.page ?? 1)
  const per_page = Number(query.per_page ?? 20)
  const place = query.zip ? zipcodes.lookup(query.zip) : null
  const matching = sql`
    end_date > now()
    ${query.category ? sql`and category = ${query.category}` : sql``}
    ${query.state ? sql`and state = ${query.state}` : sql``}
    ${query.source ? sql`and source = ${query.source}` : sql``}
    ${query.price_min ? sql`and price_cents >= ${query.price_min * 100}` : sql``}
    ${query.price_max ? sql`and price_cents <= ${query.price_max * 100}` : sql``}
    ${query.q ? sql`and words @@ websearch_to_tsquery('english', ${query.q})` : sql``}
    ${place ? within(place, Number(query.radius_miles ?? 50)) : sql``}`
  const [data, [{ total }]] = await Promise.all([
    sql`
      select ${columns(place)}
      from rival.lots
      where ${matching}
      order by ${ORDERS[query.sort ?? 'ending_soon']}
      limit ${per_page} offset ${(page - 1) * per_page}`,
    sql`select count(*)::integer as total from rival.lots where ${matching}`,
  ])
  return { data, page, per_page, total, total_pages: Math.ceil(total / per_page) }
})

app.get('/api/v1/listings/:id', async ({ params }, reply) => {
  const [data] = await sql`select ${columns(null)} from rival.lots where id = ${params.id}`
  return data ? { data } : reply.code(404).send({ error: 'There is no such lot.' })
})

await app.listen({ host: '127.0.0.1', port: Number(port) })
process.stdout.write('ready\n')
