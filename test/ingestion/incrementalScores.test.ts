import { describe, expect, it } from 'vitest'
import { demoLots } from '../../src/demo/demoLots.ts'
import { type AppraisalRow, appraisalRow } from '../../src/domain/appraisal/appraisalRow.ts'
import type { LotRow } from '../../src/domain/feeds/lotRow.ts'
import { estimator } from '../../src/domain/valuation/model.ts'
import { lockKey } from '../../src/infra/ingestion/locks.ts'
import { storeSources } from '../../src/infra/ingestion/sources.ts'
import { openAdminConnection } from '../../src/infra/postgres/database.ts'
import { readOpenLots } from '../../src/infra/valuation/appraisals.ts'
import { readModel, readModelState } from '../../src/infra/valuation/models.ts'
import { keepScoresFresh } from '../../src/usecases/valuation/refreshDueScores.ts'
import { rescore } from '../../src/usecases/valuation/rescore.ts'
import { ingestionFor, pageAt } from '../support/ingestion/ingestion.ts'
import { NOW } from '../support/ingestion/ingestionClock.ts'

const HOUR_MS = 3_600_000
// Of this seed the first 40 lots move no neighbor in their sales.
const rows = [...demoLots({ lots: 80, sales: 400, seed: 2, asOf: NOW })].map(row => ({
  ...row,
  source_url: pageAt(row.source, '/lots/1'),
}))
const live = rows.filter(row => row.outcome === null)
const hoursOn = (hours: number) => new Date(NOW.getTime() + hours * HOUR_MS)

/** The state after one full run: before the first test, and again before each. */
const ingestion = ingestionFor('each test', async () => {
  expect((await load(rows)).rescored).toMatchObject({
    mode: 'full',
    sales: 400,
    lots_open: live.length,
  })
})

function load(changed: LotRow[], settings: { now?: Date; scoreLater?: boolean } = {}) {
  const cells = changed.map(({ point: _point, ...row }) => ({ ...row }))
  return ingestion.load(cells, { partial: true, scoreLater: false, ...settings })
}

interface Stored extends AppraisalRow {
  lots_score: number | null
}

/** The stored values of every open lot, without the moments. */
async function stored(now: Date): Promise<Stored[]> {
  return ingestion.sql<Stored[]>`
    select l.id as lot_id, a.estimated_value_cents, a.likely_low_cents, a.likely_high_cents, a.range_low_cents, a.range_high_cents, a.seen_factor, l.no_bid_chance, a.all_in_cost_cents,
      a.resale_margin_cents, a.confidence, a.sale_ids, a.similarities, a.flip_score, a.factors, a.score_version, a.price_kind, l.flip_score as lots_score,
      l.value_grade, l.approximate_value_cents, l.expected_profit_cents, l.approximate_close_cents, l.value_note, l.verdict,
      l.limit_cents, l.room_rank, a.projected_close_cents, a.close_low_cents, a.close_high_cents
    from lots l
    left join appraisals a on a.lot_id = l.id
    where l.is_open
    and l.ends_at > ${now.toISOString()}
    order by l.title, l.id`
}

/** What a full run at this moment would store with the sales of the current index. */
async function fromScratch(now: Date): Promise<Stored[]> {
  const state = (await readModelState(ingestion.sql))!
  const appraise = estimator((await readModel(ingestion.sql, state.id))!)
  const moment = { ...state, nowMs: now.getTime() }
  const made = (await readOpenLots(ingestion.sql, now, 'all')).map(lot =>
    appraisalRow(lot, appraise(lot), moment),
  )
  return made.map(
    ({ due_at: _due_at, ...row }) => ({ ...row, lots_score: row.flip_score }) as Stored,
  )
}

/** A lot without an estimate has no appraisal. */
function isValued({ estimated_value_cents }: Stored): boolean {
  return estimated_value_cents !== null
}

async function expectAllRight(now: Date): Promise<void> {
  const found = (await stored(now)).filter(isValued)
  expect(found).toEqual((await fromScratch(now)).filter(isValued))
  for (const row of found) {
    const { flip_score, factors, all_in_cost_cents } = row
    if (factors === null) continue
    const points = Object.entries(factors).filter(([name]) => name.endsWith('_points'))
    const sum = points.reduce((total, [, value]) => total + (value as number), 50)
    expect(flip_score).toBe(Math.min(100, Math.max(0, sum)))
    expect(factors).toMatchObject({ all_in_cost_cents })
  }
}

describe('a load', () => {
  it('with nothing new leaves every estimate and every score alone', async () => {
    const { lots_changed, rescored } = await load(live)
    expect(lots_changed).toBe(0)
    const nothing = { lots_estimated: 0, lots_rescored: 0, lots_changed: 0, seconds_indexing: 0 }
    expect(rescored).toMatchObject({
      mode: 'partial',
      reason: null,
      lots_untouched: live.length,
      ...nothing,
    })
    await expectAllRight(NOW)
  })

  it('of other bids recomputes only the scores of their lots, without the index of sales', async () => {
    await ingestion.sql`truncate sales_index_pieces`
    const bids = live.slice(0, 40).map(row => ({ ...row, current_bid_cents: 123_400, num_bids: 9 }))
    const { rescored } = await load(bids)
    expect(rescored).toMatchObject({ mode: 'partial', lots_estimated: 0, lots_rescored: 40 })
    await rescoreAndCompare()
  })

  /** A full run over the same sales stores the same scores. */
  async function rescoreAndCompare() {
    const before = await stored(NOW)
    await rescore(ingestion.sql, { now: NOW })
    expect(await stored(NOW)).toEqual(before)
  }

  it('of new lots, and of lots with another title, category or ZIP code, estimates these from the same sales', async () => {
    const others = [
      { ...live[0]!, source_id: 'new-1' },
      { ...live[1]!, title: '2016 Ford F-150 XL crew cab pickup' },
      { ...live[2]!, category: live[2]!.category === 'electronics' ? 'vehicles' : 'electronics' },
      { ...live[3]!, zip: live[3]!.zip === '78045' ? '99501' : '78045' },
      { ...live[4]!, current_bid_cents: 77_700 },
    ]
    const { rescored } = await load(others, { now: hoursOn(1) })
    expect(rescored).toMatchObject({
      mode: 'partial',
      lots_estimated: 4,
      estimated_at: NOW.toISOString(),
    })
    expect(rescored!.lots_rescored).toBeGreaterThanOrEqual(1)
    await expectAllRight(hoursOn(1))
    const moments = await ingestion.sql`select distinct estimated_at from appraisals`
    expect(moments).toEqual([{ estimated_at: NOW }])
  })

  it('of a few sales and a new lot estimates the new lot alone', async () => {
    const sales = rows
      .slice(0, 3)
      .map((row, n) => ({ ...row, source_id: `changed-${n}`, outcome: 'sold' as const }))
    const { rescored } = await load([...sales, { ...live[0]!, source_id: 'new-1' }])
    expect(rescored).toMatchObject({
      mode: 'partial',
      lots_estimated: 1,
      lots_untouched: live.length,
    })
    await expectAllRight(NOW)
  })

  it('counts a lot that ends with a bid as a sale that has changed', async () => {
    const [soonest] = live
      .filter(row => row.current_bid_cents && row.end_date)
      .sort((a, b) => (a.end_date! < b.end_date! ? -1 : 1))
    const end = new Date(Date.parse(soonest!.end_date!) + 1000)
    await load([live.at(-1)!], { now: end })
    const [sold] =
      await ingestion.sql`select count(*) as lots from sales where sold_at > ${NOW.toISOString()}`
    expect(sold!.lots).toBeGreaterThan(0)
    expect(await readModelState(ingestion.sql)).toMatchObject({
      sales: 400,
      sales_changed: sold!.lots,
    })
  })

  it('estimates all lots when the model was lost in a crash of the database, or never finished', async () => {
    await ingestion.sql`truncate sales_index_pieces`
    const lost = await load([{ ...live[0]!, source_id: 'new-1' }])
    expect(lost.rescored).toMatchObject({
      mode: 'full',
      reason: 'The model of sales was lost in a crash.',
    })
    await ingestion.sql`update sales_index_pieces set bytes = '\\xff'`
    expect((await load([{ ...live[0]!, source_id: 'new-2' }])).rescored).toMatchObject({
      mode: 'full',
    })
    await ingestion.sql`update sales_indexes set finished_at = null`
    expect((await load([live[0]!])).rescored).toMatchObject({ mode: 'full' })
    expect((await load([live[0]!])).rescored).toMatchObject({ mode: 'partial' })
  })

  it('that leaves the scores for later loses nothing: the next load computes them', async () => {
    const bids = live.slice(0, 5).map(row => ({ ...row, current_bid_cents: 55_500 }))
    expect((await load(bids, { scoreLater: true })).rescored).toBeNull()
    expect(
      (await load([{ ...live[9]!, source_id: 'new' }], { scoreLater: true })).rescored,
    ).toBeNull()
    const { rescored } = await load([live.at(-1)!])
    expect(rescored).toMatchObject({ mode: 'partial', lots_estimated: 1 })
    expect(rescored!.lots_rescored).toBeGreaterThanOrEqual(5)
    await expectAllRight(NOW)
  })

  it('recomputes the scores of all lots of a source when its premium changes', async () => {
    const [gsa] =
      await ingestion.sql`select source as key, name, homepage, time_zone as tz, access from sources where source = 'gsa'`
    await storeSources(ingestion.sql, [{ ...gsa, premium_pct: 12 } as never])
    const lots = live.filter(row => row.source === 'gsa').length
    expect((await load([live[0]!])).rescored).toMatchObject({
      mode: 'partial',
      lots_rescored: lots,
    })
    await expectAllRight(NOW)
    await storeSources(ingestion.sql, [{ ...gsa, premium_pct: 0 } as never])
    await load([live[0]!])
    await storeSources(ingestion.sql, [{ ...gsa, premium_pct: null } as never])
    expect((await load([live[0]!])).rescored, 'costs as much as none').toMatchObject({
      lots_rescored: 0,
    })
    await storeSources(ingestion.sql, [{ ...gsa, premium_pct: 0 } as never])
  })

  it('counts the premium of a lot itself before that of its source', async () => {
    const row = live.find(
      ({ source, current_bid_cents, end_date }) =>
        source === 'gsa' && current_bid_cents && end_date,
    )!
    const costOf = async (buyers_premium_percent: number | null) => {
      await load([{ ...row, buyers_premium_percent }])
      const [found] = await ingestion.sql`
        select a.all_in_cost_cents as cost, next.bid
        from lots l
        join appraisals a on a.lot_id = l.id
        cross join lateral (select l.current_bid_cents + l.bid_increment_cents as bid) as next
        where l.source_id = ${row.source_id}`
      return found!.cost / found!.bid
    }
    expect(await costOf(12.5)).toBeCloseTo(1.125, 3)
    await expectAllRight(NOW)
    await ingestion.sql`update sources set premium_percent = 20 where source = 'gsa'`
    expect(await costOf(0)).toBe(1)
    expect(await costOf(null)).toBeCloseTo(1.2, 3)
    await ingestion.sql`update sources set premium_percent = 0 where source = 'gsa'`
  })
})

describe('the scores of lots between loads', () => {
  it('follow the time left, hour by hour, and the queue drops ended lots', async () => {
    for (const hours of [0.5, 17, 18, 41.7, 200, 900]) {
      await keepScoresFresh(ingestion.sql, hoursOn(hours))
      await expectAllRight(hoursOn(hours))
    }
    await load([{ ...live[0]!, end_date: hoursOn(2000).toISOString() }], { now: hoursOn(901) })
    const [left] = await ingestion.sql`
      select count(*) as rows, count(*) filter (where not l.is_open) as over
      from scoring_queue a
      join lots l on l.id = a.lot_id`
    expect(left!.over).toBe(0)
  })

  it('are not stored while another session loads, or for a lot that a load has changed since it was read', async () => {
    await load([{ ...live[0]!, current_bid_cents: 31_300 }], { scoreLater: true })
    const other = openAdminConnection(ingestion.url)
    await other`select pg_advisory_lock(${lockKey('loads')})`
    expect(await keepScoresFresh(ingestion.sql, NOW)).toBe(0)
    await other.end()
    expect(await keepScoresFresh(ingestion.sql, NOW)).toBe(1)
    expect(await keepScoresFresh(ingestion.sql, NOW)).toBe(0)
    await expectAllRight(NOW)
  })
})
