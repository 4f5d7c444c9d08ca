// The two sets of real sales that measurements use. They are not part of this project; a set that
// is absent is named.
import { existsSync } from 'node:fs'
import { parseFile } from 'fast-csv'
import items from '../data/items.json' with { type: 'json' }
import { projectFile } from '../src/contract/projectFile.ts'
import { DAY_MS } from '../src/domain/durations.ts'
import { classifyCategory, isCategory } from '../src/domain/titles/categories.ts'
import { itemTagger } from '../src/domain/titles/items.ts'
import type { Sale } from '../src/domain/valuation/comparables/saleColumns.ts'
import { buildModel, estimator, type Model } from '../src/domain/valuation/model.ts'

type Row = Record<string, string>

/** A set with its file, the days of one late span, and the days and the number of rolling spans. */
export type RealSales = (typeof SETS)[number]

export const SETS = [
  { name: 'federal', file: 'gsa-closed-lots.csv', late: 7, rolling: 7, spans: 2 },
  { name: 'city', file: 'nashville-sales.csv', late: 183, rolling: 30, spans: 12 },
]
const tagItem = itemTagger(items)

/**
 * The closed lots of a set, with a price of 0 for those without a bid; null where the file is
 * absent.
 */
export async function readRealSales({ file }: RealSales): Promise<Sale[] | null> {
  const rows = await readRows(file)
  return rows.length === 0 ? null : rows.map(saleOf)
}

/** A federal vehicle with its real last bid. */
export interface RealClose extends Sale {
  odometer_miles: number
  condition_grade: string
}

/**
 * Federal vehicles with the real last bid, mileage and condition that their source showed after the
 * close, oldest first; the open dataset has the place of some. Empty where a file is absent.
 */
export async function readRealCloses(federal: readonly Sale[]): Promise<RealClose[]> {
  const closes = await readRows('gsa-vehicle-closes.csv')
  const seen = await readRows('gsa-seen-and-real-closes.csv')
  const idOf = new Map(seen.map(row => [row.auction_id, row.id]))
  const placed = new Map(federal.map(sale => [sale.id, sale]))
  const read = closes.map((row): RealClose => {
    const id = idOf.get(row.auction_id) ?? row.auction_id!
    const category = placed.get(id)?.category ?? classifyCategory(row.title!)
    return {
      id,
      title: row.title!,
      category,
      item: tagItem(row.title!, category),
      zip: placed.get(id)?.zip,
      final_bid_cents: Math.round(Number(row.closed_high_bid_dollars) * 100),
      sold_at_ms: Date.parse(row.ended_at!),
      odometer_miles: Number(row.mileage),
      condition_grade: row.condition!,
    }
  })
  return read.sort((one, other) => one.sold_at_ms - other.sold_at_ms)
}

/** The rows of a file of real sales; none where it is absent. */
async function readRows(file: string): Promise<Row[]> {
  const path = projectFile('..', 'shared', 'data', file)
  const rows: Row[] = []
  if (existsSync(path))
    for await (const row of parseFile<Row, Row>(path, { headers: true })) rows.push(row)
  else console.warn(`NOT MEASURED: ${file} is absent.`)
  return rows
}

/** Both files name the day of a sale; it took place at the last moment of the day. */
function saleOf(row: Row): Sale {
  const { title = '', category: stated, state, zip } = row
  const category =
    stated === undefined ? classifyCategory(title) : isCategory(stated) ? stated : 'other'
  const final_bid_cents = Math.round(
    Number(row.winning_bid_cents ?? Number(row.current_or_final_bid) * 100),
  )
  const sold_at_ms = Date.parse(`${row.close_date ?? row.ended_at}T00:00:00Z`) + DAY_MS
  const id = (row.auction_id ?? row.id)!
  const seen_by = stated === undefined ? null : 'open-data'
  return {
    id,
    title,
    category,
    state,
    zip,
    item: tagItem(title, category),
    final_bid_cents,
    sold_at_ms,
    seen_by,
  }
}

/** The model of the lots that closed up to a moment. */
export function learnBefore(closed: readonly Sale[], from: number): Model {
  const known = closed.filter(sale => sale.sold_at_ms <= from)
  const lots = known.flatMap(sale =>
    sale.final_bid_cents === 0 ? [{ ...sale, ended_at_ms: sale.sold_at_ms }] : [],
  )
  return buildModel(known, from, lots)
}

/**
 * The sales of a span (after `from`, up to `to`), each with its estimate by the model, if there is
 * one.
 */
export function estimatesAfter(model: Model, closed: readonly Sale[], from: number, to: number) {
  const estimate = estimator(model)
  const span = closed.filter(sale => sale.sold_at_ms > from && sale.sold_at_ms <= to)
  return span
    .filter(sale => sale.final_bid_cents > 0)
    .map(sale => ({ sale, estimate: estimate(sale) }))
}
