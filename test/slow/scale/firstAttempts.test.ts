import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { loadDemo } from '../../../src/commands/demo.ts'
import { Random } from '../../../src/demo/random.ts'
import type { SavedSearch } from '../../../src/domain/alerts/savedSearch.ts'
import { newSigningSecret } from '../../../src/domain/alerts/webhooks.ts'
import type { Sql } from '../../../src/infra/postgres/database.ts'
import { type Answering, startReceiver } from '../../support/alerts/receiver.ts'
import { insertAccount, insertSearches } from '../../support/alerts/savedSearches.ts'
import { freshDatabase } from '../../support/database/database.ts'
import { type LongCommand, startSurplus } from '../../support/run/commandLine.ts'
import { shared } from '../../support/run/shared.ts'

const ACCOUNTS = 20
/** Of each account, as its plan includes. */
const [SEARCHES, ENDPOINTS] = [500, 20]
/** Of the searches; the others have mails and feeds. Every search: WEBHOOKS=1. */
const WEBHOOKS = Number(process.env.WEBHOOKS ?? 0.1)
const CHANGED_LOTS = 1_200

const MAKES =
  'ford|chevrolet|dell|toyota|caterpillar|john deere|honda|hp|steelcase|freightliner'.split('|')
const THINGS =
  'truck|laptop|desk|generator|trailer|forklift|mower|van|sedan|pump|printer|rifle'.split('|')

const database = shared(freshDatabase)
let sql: Sql
beforeAll(() => {
  sql = database.sql
})
const arrivals: number[] = []
const onArrival: Answering = response => {
  arrivals.push(Date.now())
  response.writeHead(204).end()
}
const receiver = shared(() => startReceiver(onArrival))
let deliverer: LongCommand
afterAll(() => deliverer.end('SIGTERM'))

/** Like people's: words, a place, a price. There are 2,000 different words. */
function peopleQuery(random: Random): SavedSearch['query'] {
  const price_max = random.whole(1, 100) * 100
  const place: SavedSearch['query'] = random.chance(0.5)
    ? { state: random.pick(['TX', 'CA', 'FL', 'IL', 'OH', 'VA', 'WA', 'GA']) }
    : {
        zip: random.pick(['60601', '90012', '77002', '30303', '98101']),
        radius_miles: random.pick([50, 100, 200]),
      }
  const q = `${random.pick(MAKES)} ${random.pick(THINGS)} -${random.whole(1, 17)}`
  switch (random.whole(1, 4)) {
    case 1:
      return { q, price_max }
    case 2:
      return {
        category: random.pick(['vehicles', 'electronics', 'heavy-equipment']),
        price_max,
        ...place,
      }
    case 3:
      return { q: random.pick(THINGS), ...place }
    default:
      return { category: 'vehicles', min_flip_score: random.whole(40, 90), ...place }
  }
}

/** Searches of which the first ones send to the endpoints of the account, each to one. */
async function fillAccount(random: Random): Promise<void> {
  const account_id = await insertAccount(sql)
  const endpoints = await sql<{ id: number }[]>`
    insert into alert_endpoints (account_id, url, secret, created_at)
    select ${account_id}, ${receiver.url}, ${newSigningSecret()}, now()
    from generate_series(1, ${ENDPOINTS})
    returning id`
  const drafts = Array.from({ length: SEARCHES }, (_, n) => ({
    account_id,
    query: peopleQuery(random),
    by_mail: false,
    endpoint_ids: n < SEARCHES * WEBHOOKS ? [endpoints[n % ENDPOINTS]!.id] : [],
  }))
  await insertSearches(sql, drafts)
}

async function countRows(rows: 'alert_matches' | 'alert_deliveries'): Promise<number> {
  const [counted] = await sql<{ rows: number }[]>`select count(*) as rows from ${sql(rows)}`
  return counted!.rows
}

it(`sends the first attempts of ${ACCOUNTS * SEARCHES} searches and ${CHANGED_LOTS} changed lots, each once`, async () => {
  const random = new Random()
  random.restart(5, 0)
  for (let account = 0; account < ACCOUNTS; account++) await fillAccount(random)
  await loadDemo(sql, {
    lots: 20_000,
    sales: 5_000,
    seed: 5,
    now: new Date(),
    onProgress: () => {},
  })
  // Only what changes from now on is news, and every lot has the score that it will have.
  await sql`
    update alert_progress
    set position = case stream when 'clock' then extract(epoch from now()) else last_change() end`
  await sql`delete from scoring_queue`
  deliverer = startSurplus(['deliver'], {
    DATABASE_URL: database.url,
    ALERTS_ALLOWED_HOSTS: '127.0.0.1',
    KEY_PEPPER: 'k'.repeat(32),
  })
  const hasTurned = async () => {
    const [found] =
      await sql`select from pg_stat_activity where application_name = 'surplus deliver' and datname = current_database()`
    return found !== undefined
  }
  while (!(await hasTurned())) await sleep(100)
  await sleep(2_000)

  await sql`
    update lots
    set current_bid_cents = coalesce(current_bid_cents, starting_bid_cents, 0) + 500, num_bids = num_bids + 1
    where id in (select id from lots where is_open order by id limit ${CHANGED_LOTS})`
  const committedAt = Date.now()
  const [progress] = await sql<{ last: number }[]>`select last_change() as last`
  const isDone = async () => {
    const [behind] =
      await sql`select from alert_progress where stream <> 'clock' and position < ${progress!.last}`
    const [due] = await sql`select from alert_deliveries where due_at is not null limit 1`
    return behind === undefined && due === undefined
  }
  while (!(await isDone())) await sleep(500)

  const waits = arrivals.map(at => at - committedAt).sort((one, other) => one - other)
  const after = (share: number) => waits[Math.ceil(waits.length * share) - 1]
  console.info(
    `${await countRows('alert_matches')} matches, ${waits.length} webhooks; first attempt after the commit: p50 ${after(0.5)}, p95 ${after(0.95)}, last ${after(1)} ms`,
  )
  expect(waits.length).toBeGreaterThan(CHANGED_LOTS)
  expect(waits.length).toBe(await countRows('alert_deliveries'))
})
