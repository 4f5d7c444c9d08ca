// Measures the values of real sales, each estimated from the sales before its span alone: node
// --import tsx bench/values.ts
import { textTable } from '../src/commands/terminal.ts'
import { accuracyOf } from '../src/domain/appraisal/accuracy.ts'
import { outlookOf } from '../src/domain/appraisal/outlook.ts'
import { verdictColor } from '../src/domain/appraisal/verdict.ts'
import { DAY_MS } from '../src/domain/durations.ts'
import { grouped } from '../src/domain/grouped.ts'
import type { Sale } from '../src/domain/valuation/comparables/saleColumns.ts'
import { gradeOf, likeCount } from '../src/domain/valuation/grade.ts'
import { judgeWeeks, weeklySample } from '../src/domain/valuation/judgedWeeks.ts'
import { closeOfSale } from '../src/domain/valuation/learnedPrice.ts'
import {
  errorFactor,
  type Measures,
  measuresOf,
  percent,
} from '../src/domain/valuation/measures.ts'
import { type Estimate, estimator } from '../src/domain/valuation/model.ts'
import { percentileCont } from '../src/domain/valuation/percentiles.ts'
import {
  estimatesAfter,
  learnBefore,
  type RealSales,
  readRealCloses,
  readRealSales,
  SETS,
} from './realSales.ts'

type Judged = ReturnType<typeof judge>[number]

const NO_PRICE = { starting_bid_cents: null, buy_now_cents: null }

/** Titles that were once read as something else. */
const MISREAD = {
  'outboard motors': /\boutboard/i,
  'wheels, automotive, trailer mounted': /\bwheels?\b|\bautomotive\b|\btrailer[- ]mounted/i,
  'tires and their warnings': /\btires?\b/i,
  'water baths': /\bwater bath/i,
  housing: /\bhousing|\bhouses?\b|\bresidence/i,
}
/** What was tuned on real closes was tuned on those before this day. */
const TUNED_BEFORE = Date.UTC(2026, 5, 20)
const WEEK_MS = 7 * DAY_MS

for (const set of SETS) {
  const closed = await readRealSales(set)
  if (closed) measureSet(set, closed)
  if (closed && set.name === 'federal') await measureRealCloses(closed)
}

/**
 * Judges the values of federal vehicles, from the sales before their week, by their real last bids.
 */
async function measureRealCloses(closed: readonly Sale[]) {
  const closes = await readRealCloses(closed)
  const newest = Math.max(...closed.map(sale => sale.sold_at_ms))
  const weekOf = ({ sold_at_ms }: Sale) =>
    Math.min(newest, WEEK_MS * Math.floor(sold_at_ms / WEEK_MS))
  const known = closes.filter(close => closed.some(sale => sale.sold_at_ms <= weekOf(close)))
  const judged = [...grouped(known, weekOf)].flatMap(([from, own]) => {
    const estimate = estimator(learnBefore(closed, from))
    return own.map(sale => ({ sale, estimate: estimate(sale) }))
  })
  const ofDays = (name: string, from: number, to: number) => {
    const own = judged.filter(({ sale }) => sale.sold_at_ms >= from && sale.sold_at_ms < to)
    const kinds = ['all', ...new Set(own.map(({ sale }) => sale.condition_grade))]
    return kinds.map(kind =>
      realClosesRow(
        `${name}, ${kind}`,
        kind === 'all' ? own : own.filter(({ sale }) => sale.condition_grade === kind),
      ),
    )
  }
  const rows = [
    ...ofDays('earlier days', 0, TUNED_BEFORE),
    ...ofDays('later days', TUNED_BEFORE, Number.POSITIVE_INFINITY),
  ]
  process.stdout.write(`${textTable(rows)}\n\n`)
}

function realClosesRow(name: string, judged: readonly { sale: Sale; estimate: Estimate | null }[]) {
  const valued = judged.flatMap(({ sale, estimate }) =>
    estimate ? [{ ...estimate, price_cents: sale.final_bid_cents }] : [],
  )
  const ratios = Float64Array.from(valued, one => one.price_cents / one.value_cents).sort()
  const { error_factor, likely_hold_percent, range_hold_percent } = measuresOf(valued)
  return {
    'real closes': name,
    n: judged.length,
    valued: valued.length,
    'median close ÷ value': ratios.length ? percentileCont(ratios, 0.5).toFixed(2) : null,
    error: error_factor?.toFixed(2),
    'in 50% band': `${likely_hold_percent}%`,
    'in 80% band': `${range_hold_percent}%`,
  }
}

function measureSet({ name, late, rolling, spans }: RealSales, closed: readonly Sale[]) {
  const end = Math.max(...closed.map(sale => sale.sold_at_ms))
  const starts = Array.from({ length: spans }, (_, n) => end - (spans - n) * rolling * DAY_MS)
  const last = judge(closed, end - late * DAY_MS, end)
  const each = starts.flatMap(from => judge(closed, from, from + rolling * DAY_MS))
  const rows = [
    { of: `${name}, last ${late} days`, ...measured(last) },
    { of: `${name}, ${spans} spans of ${rolling} days`, ...measured(each) },
  ]
  const { by_grade, score_fifths, money, ...all } = accuracyOfWeeks(closed)
  const weeks = [{ grade: 'all', ...all }, ...by_grade].map(ofWeeks)
  const colors = [
    { 'at the close': `${name}, last ${late} days`, ...colorsOf(last) },
    { 'at the close': `${name}, ${spans} spans of ${rolling} days`, ...colorsOf(each) },
  ]
  const tables = [
    rows,
    colors,
    bandsHeld(each),
    onceMisread([...last, ...each]),
    weeks,
    score_fifths,
    [money],
  ]
  process.stdout.write(
    `${tables.map(textTable).join('\n\n')}\n\n${noBidLine(closed, end - late * DAY_MS)}\n\n`,
  )
}

/**
 * How often the lots after a moment ended without a bid, by tenths of the chance that the lots
 * before it give them: chance/found in percent.
 */
function noBidLine(closed: readonly Sale[], from: number) {
  const estimate = estimator(learnBefore(closed, from))
  const later = closed.flatMap(lot => {
    const chance = lot.sold_at_ms > from ? estimate(lot)?.no_bid_chance : null
    return chance == null ? [] : [{ chance, isUnbid: lot.final_bid_cents === 0 }]
  })
  if (later.length === 0) return 'no bid: not learned'
  const sorted = later.toSorted((one, other) => one.chance - other.chance)
  const tenths = Array.from({ length: 10 }, (_, n) => {
    const own = sorted.slice((n * sorted.length) / 10, ((n + 1) * sorted.length) / 10)
    const chances = own.reduce((sum, { chance }) => sum + chance, 0)
    return `${percent(chances, own.length)}/${percent(own.filter(({ isUnbid }) => isUnbid).length, own.length)}`
  })
  const [unbid, bid] = [true, false].map(kind =>
    later.filter(({ isUnbid }) => isUnbid === kind),
  ) as [typeof later, typeof later]
  const above = (one: number, other: number) => (one > other ? 1 : one === other ? 0.5 : 0)
  const wins = unbid.reduce(
    (sum, one) => sum + bid.reduce((own, other) => own + above(one.chance, other.chance), 0),
    0,
  )
  const auc = (wins / (unbid.length * bid.length)).toFixed(3)
  return `no bid, ${later.length} later lots: AUC ${auc}; chance/found in percent by tenths: ${tenths.join(' ')}`
}

/** What /accuracy shows of the newest eight weeks. */
function accuracyOfWeeks(closed: readonly Sale[]) {
  const newestFirst = closed.toSorted((one, other) => other.sold_at_ms - one.sold_at_ms)
  const sample = weeklySample()
  for (const sale of newestFirst) if (sale.final_bid_cents > 0) sample.add(sale)
  const unsold = newestFirst.flatMap(sale =>
    sale.final_bid_cents === 0 ? [{ ...sale, ended_at_ms: sale.sold_at_ms }] : [],
  )
  const { judged, unvalued } = judgeWeeks(sample.sales, unsold)
  return accuracyOf(judged, unvalued)
}

type Group = Pick<ReturnType<typeof accuracyOf>, 'sales' | keyof Measures | 'by_week'>

/** The measures of a group, with the lowest and the highest week. */
function ofWeeks({ grade, sales, by_week, ...all }: Group & { grade: string }) {
  const shown = (name: keyof Measures, digits: number) => {
    const weeks = by_week[name]?.map(week => week.toFixed(digits)).join(' to ')
    return `${all[name]?.toFixed(digits) ?? '-'}${weeks ? ` (${weeks})` : ''}`
  }
  return {
    'newest weeks': grade,
    sales,
    error: shown('error_factor', 2),
    rank: shown('rank_correlation', 3),
    'in 50% band': shown('likely_hold_percent', 0),
    'in 80% band': shown('range_hold_percent', 0),
  }
}

function measured(judged: readonly Judged[]) {
  const valued = judged.flatMap(({ sale, estimate }) =>
    estimate ? [{ ...estimate, ...sale, price_cents: closeOfSale(sale) }] : [],
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
  const resampled = Array.from({ length: 400 }, () =>
    Number(errorOf(weeks.flatMap(anyWeek))),
  ).sort()
  const similarities = (one: Valued) => one.comparables.map(({ similarity }) => similarity)
  const graded = grouped(valued, one => gradeOf(one, similarities(one), one.confidence))
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

/**
 * The share of each color of a verdict in the last hour, at the bid that the lots closed at; the
 * site promises 5 to 10% green.
 */
function colorsOf(judged: readonly Judged[]) {
  const end = new Date(0)
  const colors = judged.map(({ sale, estimate }) => {
    const current_bid_cents = closeOfSale(sale)
    const lot = { ...NO_PRICE, offer_kind: 'auction', current_bid_cents, category: sale.category }
    const like = likeCount(estimate?.comparables.map(({ similarity }) => similarity) ?? [])
    const { limit_cents, verdict, value_note } = outlookOf(
      {
        ...lot,
        source: 'gsa',
        next_bid_cents: null,
        num_bids: 3,
        premium_percent: 0,
        is_sealed: false,
        hours_left: 1,
      },
      estimate,
      like,
      null,
    )
    const shown = { ...lot, verdict, limit_cents, value_note, value_grade: estimate?.grade ?? null }
    const known = {
      ...shown,
      approximate_close_cents: null,
      end_date: end.toISOString(),
      condition_grade: null,
      runs: null,
    }
    return verdict === null
      ? 'none'
      : verdictColor(known, estimate?.band.likely_high_cents ?? null, end)
  })
  const share = (color: string) =>
    `${percent(colors.filter(one => one === color).length, colors.length)}%`
  const names = {
    green: 'good',
    outlined: 'room',
    amber: 'limit',
    grey: 'neutral',
    red: 'poor',
    'no limit': 'none',
  }
  return Object.fromEntries(Object.entries(names).map(([name, color]) => [name, share(color)]))
}

/** How many prices each band held, by grade and by category, over the rolling spans. */
function bandsHeld(judged: readonly Judged[]) {
  const valued = judged.flatMap(({ sale, estimate }) =>
    estimate ? [{ ...estimate, category: sale.category, price_cents: closeOfSale(sale) }] : [],
  )
  const groups = [...grouped(valued, one => one.grade), ...grouped(valued, one => one.category)]
  return groups.map(([name, own]) => {
    const { error_factor, likely_hold_percent, range_hold_percent } = measuresOf(own)
    return {
      'bands of': name,
      sales: own.length,
      error: error_factor?.toFixed(2),
      'in 50% band': `${likely_hold_percent}%`,
      'in 80% band': `${range_hold_percent}%`,
    }
  })
}

/** The median of value ÷ price of each kind of title that was once misread. */
function onceMisread(judged: readonly Judged[]) {
  return Object.entries(MISREAD).map(([kind, pattern]) => {
    const own = judged.flatMap(({ sale, estimate }) =>
      estimate && pattern.test(sale.title) ? [estimate.value_cents / closeOfSale(sale)] : [],
    )
    const ratio = own.length ? percentileCont(Float64Array.from(own).sort(), 0.5).toFixed(2) : null
    return { 'once misread': kind, judged: own.length, 'median value ÷ price': ratio }
  })
}

/**
 * The sales of a span (after `from`, up to `to`), each with its estimate from those before the
 * span, if there is one.
 */
function judge(closed: readonly Sale[], from: number, to: number) {
  return estimatesAfter(learnBefore(closed, from), closed, from, to)
}
