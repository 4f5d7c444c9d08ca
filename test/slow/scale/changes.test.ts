import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { clock } from '../../../src/infra/postgres/clock.ts'
import { openAdminConnection, type Sql } from '../../../src/infra/postgres/database.ts'
import { findBids, findChanges } from '../../../src/infra/search/changes.ts'
import { freshDatabase } from '../../support/database/database.ts'
import { DAY, insertLots, NOW } from '../../support/lots/fixtures.ts'

const LOTS = 2_000
const FEW = 10_000
const MANY = 1_000_000
const NO_FILTER = { kind: null, category: null, state: null, source: null }

interface Database {
  sql: Sql
  lotId: string
  last: number
  drop(): Promise<void>
}

/** A log of so many changes over four months, of 2,000 lots in turn, one in ten of them a bid. */
async function databaseWith(changes: number): Promise<Database> {
  const { url, drop } = await freshDatabase()
  const sql = openAdminConnection(url)
  const drafts = Array.from({ length: LOTS }, (_, n) => ({
    slug: `lot-${n}`,
    source: n % 100 === 0 ? 'govdeals' : 'gsa',
  }))
  const ids = await insertLots(sql, drafts)
  const begin = new Date(NOW.getTime() - 100 * DAY)
  for (const month of [0, 31, 61, 92])
    await sql`select keep_month_of_changes(${begin}::timestamptz + make_interval(days => ${month}))`
  await sql`
    insert into lot_changes
    select
      last_change + n,
      (${ids}::uuid[])[1 + n % ${LOTS}],
      ${begin}::timestamptz + n * (interval '100 days' / ${changes}::integer),
      case when n % 10 = 0 then 'bid' else 'details' end,
      n, 1, ${NOW}, false
    from data_version, generate_series(1, ${changes}) as n`
  const [row] = await sql<{ last: number }[]>`
    update data_version set last_change = last_change + ${changes} returning last_change as last`
  await sql`vacuum analyze`
  return { sql, lotId: ids[1]!, last: row!.last, drop: () => sql.end().then(drop) }
}

/** The blocks of lots and changes that a read touches, as PostgreSQL counts them. */
async function blocksOf({ sql }: Database, read: () => Promise<unknown>): Promise<number> {
  const touched = async () => {
    await sql`select pg_stat_force_next_flush()`
    const [row] = await sql<{ blocks: number }[]>`
      select sum(heap_blks_hit + heap_blks_read + coalesce(idx_blks_hit + idx_blks_read, 0)) as blocks
      from pg_statio_user_tables
      where relname like 'lot%'`
    return row!.blocks
  }
  await read()
  const before = await touched()
  for (let run = 0; run < 5; run++) await read()
  return ((await touched()) - before) / 5
}

describe('the changes of 1,000,000, beside 10,000', () => {
  let few: Database
  let many: Database

  beforeAll(async () => {
    few = await databaseWith(FEW)
    many = await databaseWith(MANY)
  })

  afterAll(() => Promise.all([few?.drop(), many?.drop()]))

  const page = (cursor: ((last: number) => string) | null, filter = {}) =>
    function read({ sql, last }: Database) {
      const context = { sql, publicUrl: 'http://surplus.test', now: clock(NOW) }
      return findChanges(context, cursor?.(last) ?? null, { ...NO_FILTER, ...filter }, 100)
    }

  it.each<[string, (database: Database) => Promise<unknown>]>([
    ['the oldest page', page(null)],
    ['a page in the middle', page(last => String(Math.floor(last / 2)))],
    ['the newest page', page(last => String(last - 100))],
    ['nothing new', page(last => String(last))],
    ['the latest cursor', page(() => 'latest')],
    ['the newest page of bids', page(last => String(last - 1_000), { kind: 'bid' })],
    ['a kind that none of 10,000 has', page(last => String(last - FEW), { kind: 'sold' })],
    ['a source that one in 100 has', page(last => String(last - FEW), { source: 'govdeals' })],
    ['a state that no lot has', page(last => String(last - FEW), { state: 'TX' })],
  ])('%s touches at most twice the blocks', async (_what, read) => {
    const [small, large] = [
      await blocksOf(few, () => read(few)),
      await blocksOf(many, () => read(many)),
    ]
    expect(small).toBeGreaterThan(0)
    expect(large).toBeLessThanOrEqual(2 * small)
  })

  it('the bids of a lot touch as many blocks as it has changes, not more', async () => {
    const read = ({ sql, lotId }: Database) =>
      findBids({ sql, publicUrl: 'http://surplus.test', now: clock(NOW) }, { id: lotId })
    expect(await blocksOf(many, () => read(many))).toBeLessThan(2 * (MANY / LOTS))
  })
})
