// Measures the values of real sales, each estimated from the sales before its span alone: node --import tsx bench/values.ts
// The two sets of sales are not part of this project; a set that is absent is named.
import { existsSync } from 'node:fs'
import { parseFile } from 'fast-csv'
import items from '../data/items.json' with { type: 'json' }
import { table } from '../src/commands/terminal.ts'
import { projectFile } from '../src/contract/projectFile.ts'
import { DAY_MS } from '../src/domain/durations.ts'
import { grouped } from '../src/domain/grouped.ts'
import { classifyCategory, isCategory } from '../src/domain/titles/categories.ts'
import { itemTagger } from '../src/domain/titles/items.ts'
import { errorFactor, measuresOf, percent } from '../src/domain/valuation/accuracy.ts'
import type { Sale } from '../src/domain/valuation/comparables/saleColumns.ts'
import { gradeOf } from '../src/domain/valuation/grade.ts'
import { buildModel, estimator } from '../src/domain/valuation/model.ts'
import { percentileCont } from '../src/domain/valuation/percentiles.ts'

type Row = Record<string, string>
type Judged = ReturnType<typeof judge>[number]

/** By the name of the set: its file, the days of one late span, and the days and the number of rolling spans. */
const SETS = {
  federal: { file: 'gsa-closed-lots.csv', late: 7, rolling: 7, spans: 2 },
  city: { file: 'nashville-sales.csv', late: 183, rolling: 30, spans: 12 },
}
/** Titles that were once read as something else. */
const MISREAD = {
  'outboard motors': /\boutboard/i,
  'wheels, automotive, trailer mounted': /\bwheels?\b|\bautomotive\b|\btrailer[- ]mounted/i,
  'tires and their warnings': /\btires?\b/i,
  'water baths': /\bwater bath/i,
  housing: /\bhousing|\bhouses?\b|\bresidence/i,
}
const tagItem = itemTagger(items)

for (const [name, set] of Object.entries(SETS)) {
  const file = projectFile('..', 'shared', 'data', set.file)
  if (!existsSync(file)) console.warn(`NOT MEASURED: ${name}, because ${set.file} is absent.`)
  else await measureSet(name, set, file)
}

async function measureSet(name: string, { late, rolling, spans }: typeof SETS.city, file: string) {
  const closed: Sale[] = []
  for await (const row of parseFile<Row, Row>(file, { headers: true })) closed.push(saleOf(row))
  const end = Math.max(...closed.map(sale => sale.sold_at_ms))
  const starts = Array.from({ length: spans }, (_, n) => end - (spans - n) * rolling * DAY_MS)
  const last = judge(closed, end - late * DAY_MS, end)
  const each = starts.flatMap(from => judge(closed, from, from + rolling * DAY_MS))
  const rows = [
    { of: `${name}, last ${late} days`, ...measured(last) },
    { of: `${name}, ${spans} spans of ${rolling} days`, ...measured(each) },
  ]
  process.stdout.write(`${table(rows)}\n\n${table(onceMisread([...last, ...each]))}\n\n`)
}

/** Both files name the day of a sale; it took place at the last moment of the day. Lots without a bid have a price of 0. */
function saleOf(row: Row): Sale {
  const { title = '', category: stated, state, zip } = row
  const category = stated === undefined ? classifyCategory(title) : isCategory(stated) ? stated : 'other'
  const final_bid_cents = Math.round(Number(row.winning_bid_cents ?? Number(row.current_or_final_bid) * 100))
  const sold_at_ms = Date.parse(`${row.close_date ?? row.ended_at}T00:00:00Z`) + DAY_MS
  const id = (row.auction_id ?? row.id)!
  return { id, title, category, state, zip, item: tagItem(title, category), final_bid_cents, sold_at_ms }
}

/** The sales of a span (after `from`, up to `to`), each with its estimate from those before the span, if there is one. */
function judge(closed: readonly Sale[], from: number, to: number) {
  const known = closed.filter(sale => sale.sold_at_ms <= from)
  const lots = known.flatMap(sale =>
    sale.final_bid_cents === 0 ? [{ ...sale, ended_at_ms: sale.sold_at_ms }] : [],
  )
  const estimate = estimator(buildModel(known, from, { counts: {}, lots }))
  const span = closed.filter(sale => sale.sold_at_ms > from && sale.sold_at_ms <= to)
  return span.filter(sale => sale.final_bid_cents > 0).map(sale => ({ sale, estimate: estimate(sale) }))
}

function measured(judged: readonly Judged[]) {
  const valued = judged.flatMap(({ sale, estimate }) =>
    estimate ? [{ ...estimate, ...sale, price_cents: sale.final_bid_cents }] : [],
  )
  type Valued = (typeof valued)[number]
  const errorOf = (some: readonly Valued[]) =>
    errorFactor(
      some.map(one => one.value_cents),
      some.map(one => one.price_cents),
    )?.toFixed(2)
  const byConfidence = valued.toSorted((a, b) => b.confidence - a.confidence)
  const weeks = [...grouped(valued, one => Math.floor(one.sold_at_ms / (7 * DAY_MS))).values()]
  const anyWeek = () => weeks[Math.floor(Math.random() * weeks.length)]!
  const resampled = Array.from({ length: 400 }, () => Number(errorOf(weeks.flatMap(anyWeek)))).sort()
  const similarities = (one: Valued) => one.comparables.map(({ similarity }) => similarity)
  const graded = grouped(valued, one => gradeOf(similarities(one), one.confidence))
  const grades = (['comparables', 'few', 'words'] as const).map(grade => {
    const own = graded.get(grade) ?? []
    return [grade, `${errorOf(own)} (${percent(own.length, valued.length)}%)`]
  })
  const { rank_correlation, likely_hold_percent, range_hold_percent } = measuresOf(valued)
  return {
    sales: judged.length,
    valued: `${percent(valued.length, judged.length)}%`,
    error: errorOf(valued),
    'over weeks (80%)': `${resampled[40]}-${resampled[359]}`,
    half: errorOf(byConfidence.slice(0, Math.ceil(valued.length / 2))),
    rank: rank_correlation?.toFixed(3),
    'in 50% band': `${likely_hold_percent}%`,
    'in 80% band': `${range_hold_percent}%`,
    ...Object.fromEntries(grades),
  }
}

/** The median of value ÷ price of each kind of title that was once misread. */
function onceMisread(judged: readonly Judged[]) {
  return Object.entries(MISREAD).map(([kind, pattern]) => {
    const own = judged.flatMap(({ sale, estimate }) =>
      estimate && pattern.test(sale.title) ? [estimate.value_cents / sale.final_bid_cents] : [],
    )
    const ratio = own.length ? percentileCont(Float64Array.from(own).sort(), 0.5).toFixed(2) : null
    return { 'once misread': kind, judged: own.length, 'median value ÷ price': ratio }
  })
}
