import { afterAll, beforeAll, expect, it } from 'vitest'
import { loadDemo } from '../../../src/commands/demo.ts'
import { Random } from '../../../src/demo/random.ts'
import { openAdminConnection, type Sql } from '../../../src/infra/postgres/database.ts'
import { matchChanges } from '../../../src/usecases/alerts/matchChanges.ts'
import { peopleQuery } from '../../support/alerts/peopleQuery.ts'
import { insertAccount, insertSearches } from '../../support/alerts/savedSearches.ts'
import { type FreshDatabase, freshDatabase } from '../../support/database/database.ts'

const SEARCHES = 10_000
const CHANGED_LOTS = 1_200
const LOTS = 20_000
const SEARCHES_OF_AN_ACCOUNT = 500
const SEED = 5
const NOW = new Date('2027-03-01T15:00:00Z')

let database: FreshDatabase
let sql: Sql

beforeAll(async () => {
  database = await freshDatabase()
  // As `surplus deliver` opens it.
  sql = openAdminConnection(database.url, { plan_cache_mode: 'auto' })
})
afterAll(async () => {
  await sql.end()
  await database.drop()
})

async function timed(what: string): Promise<number> {
  const startedAt = performance.now()
  const cpu = process.cpuUsage()
  const matches = await matchChanges(sql, { now: NOW })
  const { user } = process.cpuUsage(cpu)
  const rss = Math.round(process.memoryUsage().rss / 1e6)
  console.info(
    `${what}: ${matches} matches in ${Math.round(performance.now() - startedAt)} ms (${Math.round(user / 1000)} ms of this process, ${rss} MB)`,
  )
  return matches
}

it(`matches ${CHANGED_LOTS} changed lots against ${SEARCHES} searches, and 20,000 new ones in batches`, async () => {
  const random = new Random()
  random.restart(SEED, 0)
  for (let saved = 0; saved < SEARCHES; saved += SEARCHES_OF_AN_ACCOUNT) {
    const account_id = await insertAccount(sql)
    const drafts = Array.from({ length: SEARCHES_OF_AN_ACCOUNT }, () => ({
      account_id,
      query: peopleQuery(random),
    }))
    await insertSearches(sql, drafts)
  }
  await loadDemo(sql, { lots: LOTS, sales: 5_000, seed: SEED, now: NOW, onProgress: () => {} })
  const before = process.memoryUsage().rss
  expect(await timed(`${LOTS} new lots`)).toBeGreaterThan(LOTS)
  expect(process.memoryUsage().rss - before).toBeLessThan(600e6)

  await sql`delete from alert_matches`
  await sql`
    update lots
    set current_bid_cents = coalesce(current_bid_cents, starting_bid_cents, 0) + 500, num_bids = num_bids + 1
    where id in (select id from lots where is_open order by id limit ${CHANGED_LOTS})`
  const matches = await timed(`${CHANGED_LOTS} changed lots`)
  expect(matches).toBeGreaterThan(CHANGED_LOTS)
  const [counted] = await sql<
    { bids: number }[]
  >`select count(*) as bids from alert_matches where kind = 'bid'`
  expect(counted!.bids).toBe(matches)
  expect(await timed('nothing')).toBe(0)
}, 600_000)
