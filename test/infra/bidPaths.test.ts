import { beforeAll, describe, expect, it } from 'vitest'
import { learnBidPaths } from '../../src/domain/valuation/bidPaths.ts'
import { openAdminConnection, type Sql } from '../../src/infra/postgres/database.ts'
import { readBidPoints } from '../../src/infra/valuation/salesHistory.ts'
import { rescore } from '../../src/usecases/valuation/rescore.ts'
import {
  DAY,
  fromNow,
  HOUR,
  insertLots,
  insertSales,
  type LotDraft,
  NOW,
} from '../support/lots/fixtures.ts'
import { serviceFor } from '../support/service/start.ts'

/** Runs the work as an observation of this moment, as loads do. */
function observedAt<T>(sql: Sql, moment: Date, work: (transaction: Sql) => Promise<T>): Promise<T> {
  return sql.begin(async transaction => {
    await transaction`select set_config('surplus.observed_at', ${moment.toISOString()}, true)`
    return work(transaction as unknown as Sql)
  }) as Promise<T>
}

const END = fromNow(-HOUR)
/** Hours before the end at which bids were seen, and how far below the close they were, in ln. */
const STEPS = [180, 72.5, 48.5, 24.5, 12.5, 6.5, 3.5, 2.5, 1.5, 0.75, 0.3, 0.15]
const belowClose = (hours: number) => 0.01 * hours

/**
 * Lots that end at `END`, seen from a week before; each bid is a fixed share of the close. Returns
 * their ids.
 */
async function closeLots(
  sql: Sql,
  drafts: (LotDraft & { final_bid_cents: number })[],
): Promise<string[]> {
  const lots = drafts.map(({ final_bid_cents: _, ...draft }) => ({
    ...draft,
    ends_at: END,
    starts_at: fromNow(-9 * DAY),
  }))
  const ids = await observedAt(sql, fromNow(-8.5 * DAY), transaction =>
    insertLots(transaction, lots),
  )
  const finals = drafts.map(draft => draft.final_bid_cents)
  for (const [n, hours] of STEPS.entries()) {
    await observedAt(
      sql,
      new Date(END.getTime() - hours * HOUR),
      transaction => transaction`
      update lots
      set current_bid_cents = round(final * ${Math.exp(-belowClose(hours))}::float8), num_bids = ${n + 1}
      from unnest(${ids}::uuid[], ${finals}::bigint[]) as closing (id, final)
      where lots.id = closing.id`,
    )
  }
  await observedAt(
    sql,
    fromNow(0),
    transaction => transaction`
    update lots
    set is_open = false, outcome = 'sold', final_bid_cents = final, price_basis = 'closed_high_bid', sold_at = ends_at
    from unnest(${ids}::uuid[], ${finals}::bigint[]) as closing (id, final)
    where lots.id = closing.id`,
  )
  return ids
}

const vanOf = (n: number) => ({
  slug: `van-${n}`,
  title: `Cargo van ${String.fromCharCode(65 + (n % 26))}${n}`,
  category: 'vehicles',
  final_bid_cents: 100_000 + 1_000 * (n % 97),
})

describe('a database without statistics, as after a restore', () => {
  const api = serviceFor()
  beforeAll(async () => {
    await observedAt(
      api.sql,
      fromNow(0),
      transaction => transaction`select keep_month_of_changes(${NOW})`,
    )
    const tables = await api.sql<{ name: string }[]>`
      select relname as name from pg_class where relkind = 'r' and (relname = 'lots' or relname like 'lot_changes%')`
    for (const { name } of tables)
      await api.sql`alter table ${api.sql(name)} set (autovacuum_enabled = false)`
  })

  it('reads the log of changes a fixed number of times, not once for each sale', async () => {
    await closeLots(
      api.sql,
      Array.from({ length: 300 }, (_, n) => vanOf(n)),
    )
    const sql = openAdminConnection(api.databaseUrl)
    const scans = async () => {
      const [counted] = await sql<{ scans: number }[]>`
        select sum(seq_scan + idx_scan) as scans from pg_stat_user_tables where relname like 'lot_changes%'`
      return counted!.scans
    }
    await sql`select pg_stat_force_next_flush()`
    const before = await scans()
    const points = await readBidPoints(sql, fromNow(0))
    await sql`select pg_stat_force_next_flush()`
    const after = await scans()
    await sql.end()
    expect(new Set(points.map(({ lot_id }) => lot_id)).size).toBe(300)
    expect(after - before).toBeLessThan(20)
  })

  it('has the statistics of lots and of their changes once the lots are estimated', async () => {
    await rescore(api.sql, { now: fromNow(0) })
    const known = await api.sql<{ name: string }[]>`
      select relname as name from pg_class where relname in ('lots', 'lot_changes') and reltuples >= 300 order by name`
    expect(known.map(({ name }) => name)).toEqual(['lot_changes', 'lots'])
  })
})

describe('the projection from observed bids', () => {
  const api = serviceFor()
  let open: { priced: string; unpriced: string }
  const now = fromNow(0)

  beforeAll(async () => {
    api.clock.now = NOW
    const sales = Array.from({ length: 60 }, (_, n) => {
      const final_bid_cents = 120_000 + 1_000 * n
      return {
        title: `Cargo van ${n}`,
        category: 'vehicles',
        final_bid_cents,
        sold_at: fromNow(-(n + 2) * DAY),
      }
    })
    await insertSales(api.sql, sales)
    const ends_at = fromNow(23 * HOUR)
    const [priced = '', unpriced = ''] = await insertLots(api.sql, [
      {
        slug: 'priced',
        title: 'Cargo van',
        category: 'vehicles',
        current_bid_cents: 100_000,
        num_bids: 1,
        ends_at,
      },
      { slug: 'unpriced', title: 'Cargo van', category: 'vehicles', ends_at },
    ])
    open = { priced, unpriced }
  })
  const appraisalOf = async (id: string) =>
    (await api.get(`/api/v1/comps?listing_id=${id}`)).body.data.appraisal

  it('is the formula while 299 such lots have closed', async () => {
    const vans = Array.from({ length: 299 }, (_, n) => vanOf(n))
    await closeLots(api.sql, vans)
    await rescore(api.sql, { now })
    expect((await appraisalOf(open.priced)).projection_basis).toBe('formula')
  })

  it('counts neither the same lot on another source, nor two observations, nor sales without any, nor a lot without a sale', async () => {
    const again = { ...vanOf(3), slug: 'van-3-elsewhere', source: 'municibid', source_id: 'other' }
    const [duplicate] = await closeLots(api.sql, [again])
    await api.sql`
      update lots set duplicate_of = (select id from lots where slug = 'van-3') where id = ${duplicate!}`
    const unsold = await closeLots(api.sql, [{ ...vanOf(901), slug: 'unsold' }])
    await api.sql`
      update lots set outcome = 'unsold', final_bid_cents = null, price_basis = null, sold_at = null where id = any(${unsold})`
    const [twice] = await observedAt(api.sql, fromNow(-2 * DAY), transaction =>
      insertLots(transaction, [{ slug: 'twice', current_bid_cents: 5_000, ends_at: END }]),
    )
    await api.sql`
      update lots
      set is_open = false, outcome = 'sold', final_bid_cents = 9_000, price_basis = 'awarded', sold_at = ends_at
      where id = ${twice!}`
    const points = await readBidPoints(api.sql, now)
    expect(new Set(points.map(({ lot_id }) => lot_id)).size).toBe(299)
  })

  it('is learned once 300 have closed, and served with its basis', async () => {
    await closeLots(api.sql, [vanOf(299)])
    await rescore(api.sql, { now })
    const { projected_close_cents, projection_basis } = await appraisalOf(open.priced)
    expect(projection_basis).toBe('observed')
    // Within a day the close is that of 24 hours before the end, when what was seen 24.5 hours
    // before it is known.
    expect(Math.abs(Math.log(projected_close_cents / 100_000) - belowClose(24.5))).toBeLessThan(
      0.005,
    )
    const unpriced = await appraisalOf(open.unpriced)
    expect(unpriced.projected_close_cents).toBe(unpriced.estimated_value_cents)
    expect(unpriced.projection_basis).toBe('formula')
  })

  it('takes a bid to count until the next change, and hours to the end that was known at that moment', async () => {
    const [lot] = await observedAt(api.sql, fromNow(-30 * HOUR), transaction =>
      insertLots(transaction, [{ slug: 'soft', ends_at: fromNow(-2 * HOUR) }]),
    )
    const change = (hoursAgo: number, values: object) =>
      observedAt(
        api.sql,
        fromNow(-hoursAgo * HOUR),
        transaction => transaction`
        update lots set ${transaction(values as Record<string, string>)} where id = ${lot!}`,
      )
    await change(9, { current_bid_cents: 1_000, num_bids: 1 })
    await change(2.2, {
      current_bid_cents: 2_000,
      num_bids: 2,
      ends_at: fromNow(-1.8 * HOUR).toISOString(),
    })
    const closed = { outcome: 'sold', final_bid_cents: 4_000, price_basis: 'awarded' }
    await change(1, { ...closed, is_open: false, sold_at: fromNow(-1.8 * HOUR).toISOString() })
    const points = (await readBidPoints(api.sql, now)).filter(({ lot_id }) => lot_id === lot)
    const [first, ...others] = points.map(({ hours, bid_cents }) => [hours, bid_cents])
    // 12 hours before the end there was no bid. 0.25 hours before the end were twice, as the end moved in between: the first counts.
    // 0.1 hours before the first end, the end had moved.
    expect(first).toEqual([0.1, 2_000])
    expect(others).toEqual([0.25, 0.5, 1, 2, 3, 6].map(hours => [hours, 1_000]))
    expect(points.every(point => point.final_bid_cents === 4_000 && point.room === null)).toBe(true)
    expect(learnBidPaths(points)).toBeNull()
  })
})
