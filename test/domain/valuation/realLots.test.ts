import { existsSync, readFileSync } from 'node:fs'
import { parseFile } from 'fast-csv'
import { beforeAll, describe, expect, it } from 'vitest'
import items from '../../../data/items.json' with { type: 'json' }
import { projectFile } from '../../../src/contract/projectFile.ts'
import { classifyCategory, isCategory } from '../../../src/domain/titles/categories.ts'
import { itemTagger } from '../../../src/domain/titles/items.ts'
import { type BacktestRow, backtest } from '../../../src/domain/valuation/backtest.ts'
import type { Sale } from '../../../src/domain/valuation/comparables/corpus.ts'

/** 2,755 closed federal lots of May 2026 from the GovAuctions open dataset (CC BY 4.0); not part of this project. */
const CLOSED_LOTS = projectFile('..', 'shared', 'data', 'gsa-closed-lots.csv')
const present = existsSync(CLOSED_LOTS)
if (!present)
  console.warn(
    `SKIPPED: the backtest and the classifier on real lots, because ../shared/data/gsa-closed-lots.csv is absent.`,
  )

const SPLITS = ['2026-05-14', '2026-05-18', '2026-05-20', '2026-05-22', '2026-05-26']

interface ClosedLot {
  title: string
  category: string
  sale: Sale
}

async function closedLots(): Promise<ClosedLot[]> {
  const tagItem = itemTagger(items)
  const lots: ClosedLot[] = []
  for await (const row of parseFile<Record<string, string>, Record<string, string>>(CLOSED_LOTS, {
    headers: true,
  })) {
    const {
      id,
      title,
      category: stated,
      state,
      zip,
      current_or_final_bid: bid,
      ended_at,
    } = row as Record<string, string>
    const category = isCategory(stated!) ? stated : 'other'
    const final_bid_cents = Math.round(Number(bid) * 100)
    const sold_at_ms = Date.parse(`${ended_at}T23:59:59Z`)
    const item = tagItem(title!, category)
    lots.push({
      title: title!,
      category: stated!,
      sale: { id: id!, title: title!, category, state: state!, zip: zip!, item, final_bid_cents, sold_at_ms },
    })
  }
  return lots
}

function geometricMean(rows: readonly BacktestRow[]): number {
  return Math.exp(rows.reduce((sum, row) => sum + Math.log(row.error_factor!), 0) / rows.length)
}

function meanOf(rows: readonly BacktestRow[], column: Exclude<keyof BacktestRow, 'estimator'>): number {
  return rows.reduce((sum, row) => sum + row[column]!, 0) / rows.length
}

describe.skipIf(!present)('on the real closed lots', () => {
  let lots: ClosedLot[] = []
  let bySplit: BacktestRow[][] = []
  const of = (estimator: number) => bySplit.map(rows => rows[estimator]!)

  beforeAll(async () => {
    lots = await closedLots()
    const sales = lots.map(lot => lot.sale)
    const unsold = sales
      .filter(sale => sale.final_bid_cents === 0)
      .map(({ sold_at_ms, ...lot }) => ({ ...lot, ended_at_ms: sold_at_ms }))
    bySplit = SPLITS.map(day => backtest(sales, Date.parse(`${day}T00:00:00Z`), unsold).rows)
  })

  it('this estimate beats the category median on every time split', () => {
    for (const [n, ours] of of(3).entries()) expect(ours.error_factor!).toBeLessThan(of(0)[n]!.error_factor!)
    for (const [n, ours] of of(3).entries())
      expect(ours.rank_correlation!).toBeGreaterThan(of(0)[n]!.rank_correlation!)
  })

  it('over the splits it misses by less than ×2.2 and ranks better than .73', () => {
    expect(geometricMean(of(3))).toBeLessThan(2.2)
    expect(meanOf(of(3), 'rank_correlation')).toBeGreaterThan(0.73)
  })

  it('its more confident half misses by less than ×1.8 and ranks better than .8', () => {
    expect(geometricMean(of(4))).toBeLessThan(1.8)
    expect(meanOf(of(4), 'rank_correlation')).toBeGreaterThan(0.8)
    for (const { answers_percent } of of(4)) expect(Math.abs(answers_percent - 50)).toBeLessThan(1)
  })

  it('about half of the prices lie in its band, on every time split', () => {
    for (const { band_hold_percent } of of(3)) expect(Math.abs(band_hold_percent! - 50)).toBeLessThan(12)
    expect(Math.abs(meanOf(of(3), 'band_hold_percent') - 50)).toBeLessThan(5)
  })

  it('docs/flip-score.md tells what is measured here', () => {
    const measured = [0, 1, 2, 3, 4].map(n => {
      const rows = of(n)
      const band =
        rows[0]!.band_hold_percent === null ? '' : `${meanOf(rows, 'band_hold_percent').toFixed(0)} % `
      const answers = `${meanOf(rows, 'answers_percent').toFixed(0)} %`
      const rank = meanOf(rows, 'rank_correlation').toFixed(3).slice(1)
      return `| ${rows[0]!.estimator} | ${answers} | ×${geometricMean(rows).toFixed(2)} | ${rank} | ${band}|`
    })
    const page = readFileSync(projectFile('docs', 'flip-score.md'), 'utf8').split('\n')
    const head = page.findIndex(line => line.startsWith('| Estimator |'))
    if (process.env.PRINT) console.log(measured.join('\n'))
    expect(page.slice(head + 2, head + 7)).toEqual(measured)
  })

  it('the state adds noise to the category median', () => {
    expect(geometricMean(of(1))).toBeGreaterThan(geometricMean(of(0)))
  })

  it('four of five titles are filed as the seller filed them', () => {
    const filed = lots.filter(lot => isCategory(lot.category))
    const agreed = filed.filter(lot => classifyCategory(lot.title) === lot.category)
    expect(filed.length).toBeGreaterThan(2_000)
    expect(agreed.length / filed.length).toBeGreaterThan(0.79)
  })

  it('three of five titles are of a tracked item', () => {
    expect(lots.filter(lot => lot.sale.item).length / lots.length).toBeGreaterThan(0.58)
  })
})
