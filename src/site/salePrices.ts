import { notFound } from '../contract/errors.ts'
import type { Listing, Ok, Schemas } from '../contract/types.ts'
import type { Caller } from '../domain/caller.ts'
import { niceAbove } from '../domain/format.ts'
import { rounded } from '../domain/price.ts'
import { TRACKED_ITEMS } from '../domain/titles/trackedItems.ts'
import { listItems } from '../handlers/listItems.ts'
import { searchListings } from '../handlers/searchListings.ts'
import {
  type LiveLots,
  type LiveMarket,
  type MonthMedian,
  type PriceSpread,
  readItemMedians,
  readLiveLotsOfItem,
  readLiveMarkets,
  readPriceSpread,
} from '../infra/prices/prices.ts'
import { LEAST_SALES_OF_ITEM, soldStatsOf } from '../infra/prices/soldPrices.ts'
import type { Deps } from '../usecases/deps.ts'
import { withDefaults } from '../usecases/searchLots.ts'
import {
  type AppraisalsShown,
  readAppraisals,
} from '../usecases/valuation/readAppraisal.ts'

/** The page of the prices of an item. */
export interface ItemPrices {
  item: (typeof TRACKED_ITEMS)[number]
  /** Of vehicles; null for all. */
  year: number | null
  live: LiveLots
  values: AppraisalsShown
  soldCount: number
  /** Null for fewer sales than statistics of an item need. */
  sold: SoldOfItem | null
}

/** What an item sold for, and how its sales are spread. */
interface SoldOfItem extends Sold, Omit<PriceSpread, 'deals'> {
  /** Of the steps of the price, ascending. */
  edges: number[]
  years: NonNullable<Schemas['Comps']['model_years']>
  deals: (PriceSpread['deals'][number] & { belowPercent: number })[]
}

/** The page of a state, of a category or of both. */
export interface Market {
  state: string | null
  category: Listing['category'] | null
  live: Ok<'searchListings'>
  values: AppraisalsShown
  markets: LiveMarket[]
  soldCount: number
  sold: Sold | null
}

export interface Sold {
  count: number
  isReal: boolean
  medianName: string
  pieces: { count: number; median_cents: number } | null
  median_cents: number
  p25_cents: number
  p75_cents: number
  window_start: string
  window_end: string
}

const LOTS_OF_ITEM = 6
const LOTS_OF_MARKET = 12
const MOST_STEPS = 10
/** Prices that differ by more than so many times get steps that widen. */
const WIDE = 6

/**
 * What a tracked item sold for, rounded to two digits, and its live lots, those
 * with the most room first.
 * @param year the model year, of vehicles; null for all.
 * @throws ApiError not_found for an item that is not tracked, and for a year
 * without a sale or a lot.
 */
export async function showItemPrices(
  deps: Deps,
  slug: string,
  year: number | null,
  caller: Caller,
): Promise<ItemPrices> {
  const { reads } = deps
  const item = TRACKED_ITEMS.find(each => each.slug === slug)
  if (!item)
    throw notFound(
      'No prices are collected for this item. Prices has a list of all items.',
    )
  const of = { item: slug, year }
  const [stats, live] = await Promise.all([
    reads.read(caller, context =>
      soldStatsOf(context, of, 'one kind of price'),
    ),
    reads.read(caller, context =>
      readLiveLotsOfItem(context, of, LOTS_OF_ITEM),
    ),
  ])
  if (year !== null && !stats && live.total === 0)
    throw notFound(
      `No sale and no live lot of this model year is known. /prices/${slug} has all years.`,
    )
  const values = await readAppraisals(deps, live.data, caller)
  const sold = soldOf(stats)
  if (!stats || !sold)
    return {
      item,
      year,
      live,
      values,
      soldCount: stats?.sold_count ?? 0,
      sold: null,
    }
  const { p10_cents, p90_cents } = stats.percentiles!
  const edges = edgesOf(p10_cents, p90_cents)
  const { bins, months, states, deals } = await reads.read(caller, context =>
    readPriceSpread(context, { ...of, isReal: sold.isReal }, edges),
  )
  return {
    item,
    year,
    live,
    values,
    soldCount: stats.sold_count,
    sold: {
      ...sold,
      edges,
      bins,
      years: (stats.model_years ?? []).map(withRoundedMedian),
      months: months.map(withRoundedMedian),
      states: states.map(state => ({
        ...state,
        median_cents: rounded(state.median_cents),
      })),
      deals: deals.map(deal => ({
        ...deal,
        price_cents: rounded(deal.price_cents),
        belowPercent: Math.round(
          (1 - deal.price_cents / deal.estimated_value_cents) * 100,
        ),
      })),
    },
  }
}

/**
 * The live lots of a state, a category or both (null for all), those with the
 * most room first, and what such lots sold for.
 */
export async function showMarket(
  deps: Deps,
  {
    state,
    category,
  }: { state: string | null; category: Listing['category'] | null },
  caller: Caller,
): Promise<Market> {
  const filters = withDefaults({
    sort: 'room',
    ...(state && { state }),
    ...(category && { category }),
  })
  const search = { ...filters, page: 1, per_page: LOTS_OF_MARKET }
  const [stats, found, markets] = await Promise.all([
    deps.reads.read(caller, context =>
      soldStatsOf(context, { category, state }, 'one kind of price'),
    ),
    searchListings(deps, search, caller),
    deps.reads.read(caller, context => readLiveMarkets(context, state)),
  ])
  const live = found.value()
  const values = await readAppraisals(deps, live.data, caller)
  return {
    state,
    category,
    live,
    values,
    markets,
    soldCount: stats?.sold_count ?? 0,
    sold: soldOf(stats),
  }
}

type Item = Ok<'listItems'>['data'][number]

/** A tracked item, and what it sold for. */
export interface ItemPrice extends Omit<Item, 'median_cents'> {
  /**
   * Whether the price is that of the close, or was paid; else the last bid
   * seen.
   */
  isReal: boolean
  /** Rounded; null for fewer than five sales. */
  median_cents: number | null
  months: MonthMedian[]
}

/**
 * Every tracked item, the one with the most sales first, with its live lots,
 * and the rounded median of its sales with one kind of price (null for fewer
 * than five), their number, and their medians by month.
 */
export async function listItemPrices(deps: Deps): Promise<ItemPrice[]> {
  const [answer, known] = await Promise.all([
    listItems(deps, {}),
    deps.counts('medians of items', readItemMedians, { mayRest: true }),
  ])
  const pricesOf = new Map(
    known.map(prices => [prices.item, withRoundedMedian(prices)]),
  )
  const sorted = answer
    .value()
    .data.toSorted((one, other) => other.sold_count - one.sold_count)
  const none = { median_cents: null, isReal: true, months: [] }
  return sorted.map(item => ({ ...item, ...none, ...pricesOf.get(item.slug) }))
}

function withRoundedMedian<Row extends { median_cents: number | null }>(
  row: Row,
): Row {
  return {
    ...row,
    median_cents: row.median_cents === null ? null : rounded(row.median_cents),
  }
}

/** Null for fewer sales than statistics of an item need. */
function soldOf(stats: Awaited<ReturnType<typeof soldStatsOf>>): Sold | null {
  if (!stats?.percentiles || stats.sold_count < LEAST_SALES_OF_ITEM) return null
  const isReal = stats.price_basis !== 'last_observed'
  const {
    percentiles,
    sold_count,
    piece_count,
    piece_median_cents,
    window_start,
    window_end,
  } = stats
  return {
    count: sold_count,
    isReal,
    medianName: isReal ? 'Median price' : 'Median last bid seen',
    pieces:
      piece_median_cents === null
        ? null
        : { count: piece_count, median_cents: rounded(piece_median_cents) },
    median_cents: rounded(stats.median_cents),
    p25_cents: rounded(percentiles.p25_cents),
    p75_cents: rounded(percentiles.p75_cents),
    window_start,
    window_end,
  }
}

/**
 * The edges of the steps of the price, in round amounts of at least $1,
 * ascending, for the four fifths of the prices between these: equal steps, or
 * steps that widen with the prices.
 */
function edgesOf(p10_cents: number, p90_cents: number) {
  const widens = p90_cents > WIDE * Math.max(100, p10_cents)
  const equal = niceAbove(
    Math.max(100, (p90_cents - p10_cents) / MOST_STEPS),
    [1, 2, 5, 10],
  )
  const factors =
    p90_cents > WIDE ** 3 * p10_cents ? [1, 2, 5, 10] : [1, 2, 3, 5, 7, 10]
  const edges = [
    widens
      ? niceAbove(Math.max(100, p10_cents), factors)
      : (Math.floor(p10_cents / equal) || 1) * equal,
  ]
  while (edges.at(-1)! < p90_cents)
    edges.push(
      widens ? niceAbove(edges.at(-1)! * 1.01, factors) : edges.at(-1)! + equal,
    )
  return edges
}
