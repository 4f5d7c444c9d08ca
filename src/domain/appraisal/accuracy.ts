import { bareLetters } from '../../contract/text.ts'
import { DAY_MS } from '../durations.ts'
import { grouped } from '../grouped.ts'
import { resaleMargin } from '../price.ts'
import { CATEGORIES, type Category } from '../titles/categories.ts'
import { chanceAt } from '../valuation/chance.ts'
import type { Grade } from '../valuation/grade.ts'
import type { JudgedSale } from '../valuation/judgedWeeks.ts'
import { type Measures, measuresOf, percent } from '../valuation/measures.ts'
import { percentileCont } from '../valuation/percentiles.ts'
import { priceDistribution } from '../valuation/priceDistribution.ts'
import { resaleValueCents } from '../valuation/projection.ts'
import { maxBidCents } from './limit.ts'

/**
 * How well estimates held on the sales of later weeks, with the spread over the
 * weeks, and what the score and the maximum bid were worth.
 */
export type Accuracy = MeasuredByWeek & {
  /** How many sales had no value. */
  unvalued: number
  /** Of all sales; those of the kind that is not judged count too. */
  real_sales: number
  seen_sales: number
  by_grade: (MeasuredByWeek & { grade: Grade })[]
  by_category: (MeasuredByWeek & { category: Category })[]
  /** Value and price of some of the sales, in US cents. */
  dots: [value_cents: number, price_cents: number][]
  /**
   * How many of the prices lay below the amount that so many percent of them
   * should, in percent.
   */
  held: { promised_percent: number; held_percent: number | null }[]
  score_fifths: ScoreFifth[]
  money: TestInMoney
}

/**
 * The measures of some sales, and the lowest and the highest of those of single
 * weeks; null where these say little.
 */
type MeasuredByWeek = Measures & {
  sales: number
  by_week: Record<keyof Measures, [lowest: number, highest: number] | null>
}

/** Sales whose score at their price lay in one fifth of the scale. */
type ScoreFifth = {
  from_score: number
  sales: number
  mean_score: number | null
  /** The share of those whose title was sold again for more. */
  above_percent: number | null
}

/**
 * What a buyer at every price up to the maximum bid was promised and got.
 * Amounts in US cents.
 */
type TestInMoney = {
  /** Sales whose title was sold again. */
  sales: number
  bought: number
  paid_cents: number
  /**
   * The resale margin at the value from which the maximum bid follows, and at
   * the median price of the others with the same title.
   */
  promised_margin_cents: number
  actual_margin_cents: number
  /** How many had a margin below 0. */
  lost: number
}

const GRADES: Grade[] = ['comparables', 'few', 'words']

/**
 * Fewer real prices say too little; then last bids seen are judged, and never
 * both together.
 */
const LEAST_REAL = 50

/**
 * Measures sales with real prices where there are enough, else those with a
 * last bid seen.
 * @param unvalued how many others had no value.
 */
export function accuracyOf(all: readonly JudgedSale[], unvalued = 0): Accuracy {
  const real = all.filter(({ sale }) => sale.is_real)
  const judged =
    real.length >= LEAST_REAL ? real : all.filter(({ sale }) => !sale.is_real)
  const { counted } = weeksOf(judged)
  const resales = resalesOf(counted)
  return {
    unvalued,
    real_sales: real.length,
    seen_sales: all.length - real.length,
    ...measuredByWeek(judged),
    by_grade: GRADES.map(grade => ({
      grade,
      ...measuredByWeek(judged.filter(one => one.grade === grade)),
    })),
    by_category: CATEGORIES.map(category => ({
      category,
      ...measuredByWeek(
        judged.filter(({ sale }) => sale.category === category),
      ),
    })),
    dots: dotsOf(counted),
    held: heldBelow(counted),
    score_fifths: scoreFifths(resales),
    money: testInMoney(resales),
  }
}

/** A week with fewer sales of a group says little of it. */
const LEAST_OF_WEEK = 20

/**
 * The weeks of at least 20 sales, and all sales that count: those of these
 * weeks; with fewer than two such weeks all.
 */
function weeksOf(judged: readonly JudgedSale[]): {
  weeks: JudgedSale[][]
  counted: readonly JudgedSale[]
} {
  const weeks = [...grouped(judged, ({ week }) => week).values()].filter(
    own => own.length >= LEAST_OF_WEEK,
  )
  return { weeks, counted: weeks.length < 2 ? judged : weeks.flat() }
}

/**
 * The measures of all weeks of at least 20 sales, and the lowest and the
 * highest of these; with fewer than two such weeks those of all sales and null,
 * as where a measure of all is beyond that of each week.
 */
function measuredByWeek(judged: readonly JudgedSale[]): MeasuredByWeek {
  const { weeks, counted } = weeksOf(judged)
  const total = measuresOf(counted)
  const ofWeeks = weeks.map(measuresOf)
  const spreadOf = (
    measure: keyof Measures,
  ): [lowest: number, highest: number] | null => {
    const known = ofWeeks.flatMap(week => week[measure] ?? [])
    const [least, most] = [Math.min(...known), Math.max(...known)]
    const ofAll = total[measure] ?? Number.NaN
    return known.length >= 2 && least <= ofAll && ofAll <= most
      ? [least, most]
      : null
  }
  return {
    sales: counted.length,
    ...total,
    by_week: {
      error_factor: spreadOf('error_factor'),
      rank_correlation: spreadOf('rank_correlation'),
      likely_hold_percent: spreadOf('likely_hold_percent'),
      range_hold_percent: spreadOf('range_hold_percent'),
    },
  }
}

/** More would hide each other in a picture. */
const MOST_DOTS = 250

/** Value and price of sales spread evenly over all, in US cents. */
function dotsOf(
  judged: readonly JudgedSale[],
): [value_cents: number, price_cents: number][] {
  const every = Math.max(1, judged.length / MOST_DOTS)
  const drawn = judged.filter(
    (_, n) => Math.floor(n / every) !== Math.floor((n - 1) / every),
  )
  return drawn.map(({ value_cents, price_cents }) => [
    Math.round(value_cents),
    price_cents,
  ])
}

const TENTHS = [10, 20, 30, 40, 50, 60, 70, 80, 90]

/**
 * How many of the prices lay below the amount that so many percent of them
 * should, in percent.
 */
function heldBelow(
  judged: readonly JudgedSale[],
): { promised_percent: number; held_percent: number | null }[] {
  const distributions = judged.map(({ value_cents, band }) =>
    priceDistribution(value_cents, band),
  )
  return TENTHS.map(promised_percent => {
    const below = judged.filter(
      ({ price_cents }, n) =>
        price_cents <=
        distributions[n]!.centsExceededBy(1 - promised_percent / 100),
    )
    return {
      promised_percent,
      held_percent: percent(below.length, judged.length),
    }
  })
}

/**
 * A judged sale whose very title was sold again, and the median of those
 * prices.
 */
type Resale = JudgedSale & { resold_cents: number }

/**
 * The judged sales of things that were sold again: under the same title, on
 * another day or in another place, not before the week in which the first was
 * estimated. Without words alone, which have no score and no maximum bid.
 */
function resalesOf(judged: readonly JudgedSale[]): Resale[] {
  const dayOf = ({ sale }: JudgedSale) => Math.floor(sale.sold_at_ms / DAY_MS)
  const sameThing = grouped(judged, ({ sale }) => bareLetters(sale.title))
  return judged.flatMap(one => {
    const again = sameThing
      .get(bareLetters(one.sale.title))!
      .filter(other => other.week <= one.week)
      .filter(
        other => dayOf(other) !== dayOf(one) || other.sale.zip !== one.sale.zip,
      )
      .map(({ price_cents }) => price_cents)
      .sort((a, b) => a - b)
    return again.length === 0 || one.grade === 'words'
      ? []
      : [{ ...one, resold_cents: percentileCont(again, 0.5) }]
  })
}

const FIFTH = 20

/**
 * Each sale scored by the chance at its price. By fifth of the score: the mean
 * score, and the share of the sales whose title was sold again for more. They
 * are equal when the chance is calibrated.
 */
function scoreFifths(resales: readonly Resale[]): ScoreFifth[] {
  const scored = resales.map(
    ({ value_cents, band, chance, price_cents, resold_cents }) => ({
      score:
        100 *
        chanceAt(
          priceDistribution(value_cents, band).stepAt(price_cents),
          chance,
        ),
      isAbove: resold_cents > price_cents,
    }),
  )
  return [0, 1, 2, 3, 4].map(fifth => {
    const own = scored.filter(
      ({ score }) => Math.min(4, Math.floor(score / FIFTH)) === fifth,
    )
    const sum = own.reduce((total, { score }) => total + score, 0)
    return {
      from_score: fifth * FIFTH,
      sales: own.length,
      mean_score:
        own.length === 0 ? null : Math.round((sum / own.length) * 10) / 10,
      above_percent: percent(
        own.filter(({ isAbove }) => isAbove).length,
        own.length,
      ),
    }
  })
}

/**
 * What a buyer at every price up to the maximum bid, without a buyer's premium,
 * was promised and got. Amounts in US cents.
 */
function testInMoney(resales: readonly Resale[]): TestInMoney {
  const bought = resales.filter(
    one => one.price_cents <= maxBidCents(resaleValueCents(one), 0),
  )
  const marginAt = (value: (one: Resale) => number) =>
    bought.map(
      one =>
        resaleMargin(Math.round(value(one)), one.price_cents)!.margin_cents,
    )
  const margins = marginAt(one => one.resold_cents)
  const sum = (cents: readonly number[]) =>
    cents.reduce((total, one) => total + one, 0)
  return {
    sales: resales.length,
    bought: bought.length,
    paid_cents: sum(bought.map(({ price_cents }) => price_cents)),
    promised_margin_cents: sum(marginAt(resaleValueCents)),
    actual_margin_cents: sum(margins),
    lost: margins.filter(cents => cents < 0).length,
  }
}
