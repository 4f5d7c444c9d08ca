import { CATEGORIES, pricedAs } from '../../titles/categories.ts'
import {
  inCodeOrder,
  isInWindow,
  type LotToDescribe,
  type SaleColumns,
  type UnsoldLot,
} from '../comparables/saleColumns.ts'
import { percentileCont } from '../percentiles.ts'
import { baselineFeatures, type Described } from './features.ts'
import { robustRidge } from './leastSquares.ts'

/**
 * The result of `fitBaseline`, as plain numbers, which are stored with the
 * model.
 */
export interface BaselineFit {
  /** ln of the usual price of each category, by position in CATEGORIES. */
  level: Float64Array
  /** The effect of each feature. */
  effects: Float64Array
  /**
   * The effect of each on the chance that a lot ends without a bid; null where
   * too few did.
   */
  noBidEffects: Float64Array | null
}

/** Estimates of the regression alone. */
export interface Baseline {
  /** The logarithm of the price of a sale of the columns. */
  ofSale: (position: number) => number
  /** The logarithm of the price of a lot, in US cents. */
  ofLot: (lot: LotToDescribe) => number
  /**
   * The chance that a lot ends without a bid, 0 to 1, with two decimals; null
   * where that was not learned.
   */
  noBidChance: (lot: LotToDescribe) => number | null
}

/**
 * Returns the baseline of a fit to this columns: the value by category, title,
 * item and place alone, as ln(cents).
 */
export function baselineOf(
  columns: SaleColumns,
  { level, effects, noBidEffects }: BaselineFit,
  features = baselineFeatures(columns),
): Baseline {
  /** A sale is a comparable of many lots. */
  const ofSales = new Float64Array(columns.count).fill(Number.NaN)
  const sum = (
    lot: Described,
    usual = levelOf(level, lot),
    byFeature = effects,
  ) => {
    const { ids, values } = features.describe(lot)
    let sum = usual
    for (let i = 0; i < ids.length; i++) sum += values[i]! * byFeature[ids[i]!]!
    return sum
  }
  return {
    ofSale: (position: number) => {
      if (Number.isNaN(ofSales[position]))
        ofSales[position] = sum(features.ofSale(position))
      return ofSales[position]!
    },
    ofLot: (lot: LotToDescribe) => sum(describedLot(columns, lot)),
    noBidChance(lot: LotToDescribe): number | null {
      if (!noBidEffects) return null
      const chance = sum(describedLot(columns, lot), USUAL_NO_BID, noBidEffects)
      // Nothing is sure.
      return Math.round(100 * Math.min(0.97, Math.max(0.03, chance))) / 100
    },
  }
}

/** Describes a lot in the numbers of a columns. */
function describedLot(
  columns: SaleColumns,
  { title, category, item, zip }: LotToDescribe,
) {
  return {
    ...columns.readTitle(title),
    market: CATEGORIES.indexOf(pricedAs(category, title)),
    item: columns.itemNumber(item),
    place: columns.placeNumber(zip),
  }
}

/**
 * The book's share in the level of a lot that it has a price of, and of a
 * machine, of which few are sold. Chosen on time splits.
 */
const BOOK_SHARE = 0.25
const BOOK_SHARE_OF_MACHINES = 0.5
const HEAVY = CATEGORIES.indexOf('heavy-equipment')

/**
 * The usual price of a lot before its words are known, as ln(cents): that of
 * its category, drawn to the price book's.
 */
function levelOf(
  level: Float64Array,
  { market, bookPrice }: Pick<Described, 'market' | 'bookPrice'>,
) {
  if (bookPrice === 0) return level[market]!
  const share = market === HEAVY ? BOOK_SHARE_OF_MACHINES : BOOK_SHARE
  return level[market]! + share * (bookPrice - level[market]!)
}

/** At most this many lots without a bid are learned from, the newest. */
export const MOST_UNSOLD = 25_000
/**
 * The median of all sales counts in each category's median like this many of
 * its sales.
 */
const CATEGORY_PRIOR_SALES = 4
/**
 * A lot without a bid is a ceiling: similar lots bring at most 60 % of their
 * level. `importance` compares it with a sale. Chosen on time splits.
 */
const UNSOLD = { importance: 0.3, target: Math.log(0.6) }
/**
 * How strongly effects are pulled to zero, and where a miss stops counting by
 * its square. Chosen on time splits.
 */
const FIT = { strength: 2, softness: 0.25 }

/**
 * 949 of 2,755 closed federal lots had no bid (May 2026): the chance of a lot
 * of which nothing is known.
 */
const USUAL_NO_BID = 0.35
/**
 * Plain ridge regression, as docs/decisions/0047-real-closes.md compares it;
 * the value beside these features added nothing.
 */
const NO_BID_FIT = { strength: 8, softness: Number.POSITIVE_INFINITY }
/** Fewer lots without a bid say nothing of the chance. */
const LEAST_UNSOLD = 100

/**
 * Learns the effects of category, words and other features on price and bids,
 * from the sales of a columns and lots without a bid.
 */
export function fitBaseline(
  columns: SaleColumns,
  unsoldLots: readonly UnsoldLot[],
  features = baselineFeatures(columns),
): BaselineFit {
  const { learnedFrom } = features
  const level = categoryLevels(columns)
  const sold = Array.from({ length: learnedFrom }, (_, n) => {
    const sale = features.ofSale(n)
    const target = columns.logPrice[n]! - levelOf(level, sale)
    return {
      ...features.describe(sale),
      target,
      importance: 1,
      isCeiling: false,
    }
  })
  const unsold = describedUnsold(columns, unsoldLots).map(lot => ({
    ...features.describe(lot),
    ...UNSOLD,
    isCeiling: true,
  }))
  // Older lots without a bid are not read.
  const closed = [...sold.slice(0, columns.inWindow), ...unsold].map(row => ({
    ...row,
    target: Number(row.isCeiling) - USUAL_NO_BID,
    importance: 1,
    isCeiling: false,
  }))
  return {
    level,
    effects: robustRidge([...sold, ...unsold], features.count, FIT),
    noBidEffects:
      unsold.length < LEAST_UNSOLD
        ? null
        : robustRidge(closed, features.count, NO_BID_FIT),
  }
}

/**
 * The lots without a bid that ended since the oldest sale that is learned from,
 * sorted so that their order does not matter.
 */
function describedUnsold(
  columns: SaleColumns,
  lots: readonly UnsoldLot[],
): Described[] {
  const { asOfMs, learnedSinceMs } = columns
  return lots
    .filter(
      ({ ended_at_ms: ms }) => isInWindow(ms, asOfMs) && ms >= learnedSinceMs,
    )
    .sort(
      (a, b) => b.ended_at_ms - a.ended_at_ms || inCodeOrder(a.title, b.title),
    )
    .slice(0, MOST_UNSOLD)
    .map(lot => describedLot(columns, lot))
}

/**
 * ln of each category's median price, pulled towards the median of all sales
 * where there are few.
 */
function categoryLevels(columns: SaleColumns) {
  const all = columns.logPrice.toSorted()
  const overall = all.length > 0 ? percentileCont(all, 0.5) : 0
  const levels = new Float64Array(CATEGORIES.length)
  for (const number of CATEGORIES.keys()) {
    const own = columns.logPrice
      .filter((_, n) => columns.market[n] === number)
      .sort()
    const share = own.length / (own.length + CATEGORY_PRIOR_SALES)
    levels[number] =
      own.length === 0
        ? overall
        : share * percentileCont(own, 0.5) + (1 - share) * overall
  }
  return levels
}
