import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openWorkbench } from '../../src/infra/postgres/database.ts'
import { ingestFile } from '../../src/usecases/ingestion/ingestFile.ts'
import {
  type FeedCells,
  hoursFromNow,
  type Ingestion,
  liveRow,
  ndjson,
  startIngestion,
} from '../support/ingestion/ingestion.ts'
import { NOW } from '../support/ingestion/ingestionClock.ts'

const ROWS = 23_000
const SOURCES = ['gsa', 'govdeals', 'hud', 'made-up']
const TOWNS = [
  { state: 'OH', city: 'Dayton', zip: '45402' },
  { state: 'OH', city: 'Dayton', zip: null },
  { state: 'TX', city: 'Austin', zip: '78701' },
]
const USER = `one_connection_${process.pid}`

/** Some rows are told by several sources, some share a slug, some a vehicle, some come twice, some are bad. */
function rowsOf(round: number): string {
  return ndjson(
    Array.from({ length: ROWS }, (_, line): FeedCells => {
      const isAlike = line % 22 === 0
      const n = isAlike ? line + 7 : line
      const source = SOURCES[(n * 7 + round) % SOURCES.length]!
      const isTold = n % 6 === 0
      const vehicle = n % 17 === 0 ? ` VIN 1FTFW1ET5DFC${String(10_000 + (n % 340) + round).slice(-5)}` : ''
      const id = line % 29 === 0 ? `lot-${line - 29}` : `lot${isAlike ? ' ' : '-'}${n}`
      return liveRow(id, {
        source,
        title: isTold
          ? `Desk ${n % 90} ${round === 1 && n % 5 === 0 ? 'green' : ''}`
          : `Thing ${n}${vehicle}`,
        description: n % 13 === 0 ? `Round ${round}, \\ "with" it (and, {all})` : null,
        ...TOWNS[n % TOWNS.length],
        end_date: hoursFromNow(24 + (n % 3)),
        current_bid_cents: 1000 + n + round * (n % 2),
        ...(line % 401 === 0 ? { state: 'XX' } : {}),
      })
    }),
  )
}

describe('a load by two sessions', () => {
  let two: Ingestion
  let one: Ingestion
  beforeAll(async () => {
    two = await startIngestion()
    one = await startIngestion()
    const [me] = await one.sql<{ name: string }[]>`select current_user as name`
    await one.sql.unsafe(
      `create role ${USER} login password 'secret' connection limit 1 in role "${me!.name}"`,
    )
  })
  afterAll(async () => {
    await one.sql.unsafe(`reassign owned by ${USER} to current_user`)
    await one.sql.unsafe(`drop role ${USER}`)
    await two.end()
    await one.end()
  })

  it('leaves what one leaves, where the database has no second connection: the same slugs, duplicates and words', async () => {
    const address = new URL(one.url)
    address.username = USER
    address.password = 'secret'
    for (const round of [0, 1]) {
      const rows = rowsOf(round)
      const byTwo = await two.load(rows, { scoreLater: true })
      const alone = openWorkbench(address.href)
      const settings = { feed: 'feed' as const, now: NOW, scoreLater: true }
      const byOne = await ingestFile(alone, { ...settings, file: one.file(rows) }).finally(() => alone.end())
      const { seconds, seconds_until_stored, file, ...told } = byTwo
      expect(byOne).toMatchObject(told)
      expect(told.lots_duplicate).toBeGreaterThan(500)
      expect(await lotsOf(two)).toEqual(await lotsOf(one))
    }
  }, 120_000)

  it('gives every lot its own slug, its id, and the marks of its duplicates', async () => {
    expect(await untrueLots(two)).toHaveLength(0)
    expect(await two.sql`select slug from lots group by slug having count(*) > 1`).toHaveLength(0)
    const [apart] = await two.sql`select count(*) as lots from lots where slug like '%-' || left(id::text, 8)`
    expect(apart!.lots).toBeGreaterThan(500)
  })

  it('leaves the marks to the database when another program writes a lot, and when it lies', async () => {
    await two.sql`update lots set likeness = gen_random_uuid(), vehicle = null where source = 'gsa'`
    await two.sql`update lots set title = title || ' 2' where source = 'hud'`
    await two.sql`
      insert into lots (source, source_id, slug, title, category, source_url, is_open, observed_at, id)
      values ('gsa', 'by hand', 'by-hand', 'Desk', 'other', 'https://x.test/', true, now(), gen_random_uuid())`
    expect(await untrueLots(two)).toHaveLength(0)
  })
})

/** Those whose id or marks are not what PostgreSQL makes of them. */
function untrueLots({ sql }: Ingestion) {
  return sql`
    select
    from lots
    where id is distinct from lot_id(source, source_id)
    or likeness is distinct from lot_likeness(title, state, ends_at)
    or vehicle is distinct from vehicle_mark(title || ' ' || coalesce(description, ''), ends_at)`
}

async function lotsOf({ sql }: Ingestion) {
  return {
    lots: await sql`select to_jsonb(lots) - 'search' as lot, search::text from lots order by id`,
    agenda: await sql`select lot_id, needs_estimate from scoring_queue order by lot_id`,
    setAside: await sql`select line, reason, raw from set_aside_rows order by load_id, line`,
  }
}
