import type { Schemas } from '../../contract/types.ts'

/** Bytes of a UUID. */
export const ID_BYTES = 16

/** Columns of lots: what a search filters and sorts by. A lot is known by its ordinal, its position in the order of the ids. */
export type LotTable = ReturnType<ReturnType<typeof lotTableBuilder>['build']>

/** One lot as a row. */
export interface LotRow {
  /** A UUID in its usual form. */
  id: string
  category: string
  state: string | null
  source: string
  latitude: number | null
  longitude: number | null
  price_cents: number | null
  num_bids: number
  has_buy_now: boolean
  flip_score: number | null
  /** Null without an appraisal. */
  approximate_value_cents: number | null
  /** Null without an appraisal, or with grade words. */
  profit_rank: number | null
  vehicle_year: number | null
  vehicle_make: string | null
  auction_id: string | null
  starts_ms: number
  ends_ms: number
  /** The earliest moment at which bidding can close. */
  closes_ms: number
}

/** Lowest bit and width of each property in `facts`. */
const FACTS = {
  hasBids: [0, 1],
  hasBuyNow: [1, 1],
  category: [2, 6],
  state: [8, 7],
  source: [15, 16],
} as const

export type FactName = keyof typeof FACTS

/** The bits of a property with this value. @throws RangeError when the value does not fit. */
export function packFact(name: FactName, value: number) {
  const [shift, width] = FACTS[name]
  if (value >= 2 ** width) throw new RangeError(`More than ${2 ** width} values of "${name}".`)
  return value << shift
}

/** All bits of a property. */
export function factMask(name: FactName) {
  const [, width] = FACTS[name]
  return packFact(name, 2 ** width - 1)
}

/** @param lots how many lots will be added, exactly. */
export function lotTableBuilder(lots: number, as_of_ms: number) {
  const column = () => new Float64Array(lots)
  const ids = Buffer.alloc(lots * ID_BYTES)
  const [starts_ms, ends_ms, closes_ms, price_cents] = [column(), column(), column(), column()]
  const [bids, scores, value_cents, profits] = [column(), column(), column(), column()]
  const facts = new Uint32Array(lots)
  const places = new Uint32Array(lots)
  const vehicle_years = column()
  const make_codes = new Uint16Array(lots)
  const auction_codes = new Uint32Array(lots)
  const auctions = coder()
  const [categories, states, sources, points, makes] = [coder(), coder(), coder(), coder(), coder()]
  const latitudes: number[] = []
  const longitudes: number[] = []
  let added = 0

  /** @param lot in the order of the ids. */
  function add(lot: LotRow) {
    const at = added++
    ids.write(lot.id.replaceAll('-', ''), at * ID_BYTES, 'hex')
    starts_ms[at] = lot.starts_ms
    ends_ms[at] = lot.ends_ms
    closes_ms[at] = lot.closes_ms
    price_cents[at] = lot.price_cents ?? Infinity
    bids[at] = -lot.num_bids
    scores[at] = lot.flip_score ?? -Infinity
    value_cents[at] = lot.approximate_value_cents ?? -Infinity
    profits[at] = -(lot.profit_rank ?? -Infinity)
    vehicle_years[at] = lot.vehicle_year ?? NaN
    make_codes[at] = makes.codeOf(lot.vehicle_make?.toLowerCase() ?? '')
    auction_codes[at] = auctions.codeOf(lot.auction_id ?? '')
    const place = points.codeOf(`${lot.latitude} ${lot.longitude}`)
    places[at] = place
    latitudes[place] = lot.latitude ?? NaN
    longitudes[place] = lot.longitude ?? NaN
    facts[at] =
      packFact('category', categories.codeOf(lot.category)) |
      packFact('state', states.codeOf(lot.state ?? '')) |
      packFact('source', sources.codeOf(lot.source)) |
      packFact('hasBids', lot.num_bids > 0 ? 1 : 0) |
      packFact('hasBuyNow', lot.has_buy_now ? 1 : 0)
  }

  const build = () => {
    const mostProfit = orderBy(profits, orderBy(value_cents.map(cents => -cents)))
    return {
      lots,
      /** The database clock when the lots were read, in milliseconds since 1970. */
      as_of_ms,
      /** Sixteen bytes per lot. */
      ids: new Uint8Array(ids.buffer, ids.byteOffset, ids.byteLength),
      /** In milliseconds since 1970; minus infinity where unknown. */
      starts_ms,
      /** In milliseconds since 1970; infinity where unknown. */
      ends_ms,
      /** The earliest moment at which bidding can close; infinity where unknown. */
      closes_ms,
      /** Infinity where there is none. */
      price_cents,
      /** The Flip Scores; minus infinity where there is none. */
      scores,
      /** The approximate values; minus infinity where there is none. */
      value_cents,
      /** NaN where unknown. */
      vehicle_years,
      /** Positions in `makes`, which are in lower case; a lot without a make has the make ''. */
      make_codes,
      makes: makes.values(),
      /** Positions in `auctions`; a lot without an auction has the auction ''. */
      auction_codes,
      auctions: auctions.values(),
      /** Five properties in 31 bits, see `packFact`: 4 bytes a lot instead of one column each. */
      facts,
      /** The values behind the codes in `facts`; a lot without a state has the state ''. */
      categories: categories.values(),
      states: states.values(),
      sources: sources.values(),
      /** The place of each lot. Lots share places (a ZIP code is one), so distances are calculated once per place. */
      places,
      /** By place; NaN where the place is unknown. */
      latitudes: Float64Array.from(latitudes),
      longitudes: Float64Array.from(longitudes),
      /** All ordinals in the order of each sort that does not depend on a place, ties by id. */
      orders: {
        ending_soon: orderBy(ends_ms),
        newest: orderBy(starts_ms.map(start => -start)),
        price_low: orderBy(price_cents),
        price_high: orderBy(price_cents.map(price => (price === Infinity ? price : -price))),
        most_bids: orderBy(bids),
        best_deals: orderBy(
          scores.map(score => -score),
          mostProfit,
        ),
        most_profit: mostProfit,
      } satisfies Record<Exclude<Schemas['Sort'], 'nearest'>, Uint32Array>,
    }
  }

  return { add, build }
}

function coder() {
  const codes = new Map<string, number>()
  return {
    codeOf(value: string) {
      const code = codes.get(value) ?? codes.size
      if (code === codes.size) codes.set(value, code)
      return code
    },
    values: () => [...codes.keys()],
  }
}

/**
 * The ordinals of the keys, by key, then in the order of `ties`. Sorting plain numbers is ten times as fast as sorting with a comparison
 * function, so rank and tie are packed into one number, which is exact up to 94 million lots.
 * @param keys never NaN.
 * @param ties all ordinals; by default in their own order.
 */
export function orderBy(keys: Float64Array, ties: Uint32Array = Uint32Array.from(keys.keys())) {
  const count = keys.length
  const sorted = keys.slice().sort()
  const packed = new Float64Array(count)
  for (let tie = 0; tie < count; tie++) {
    const key = keys[ties[tie]!]!
    packed[tie] = firstPlace(count, place => sorted[place]! >= key) * count + tie
  }
  packed.sort()
  return Uint32Array.from(packed, value => ties[value % count]!)
}

/** The first place from which on a condition is true, by binary search; `count` when it never is. */
export function firstPlace(count: number, isTrue: (place: number) => boolean) {
  let low = 0
  let high = count
  while (low < high) {
    const middle = (low + high) >>> 1
    if (isTrue(middle)) high = middle
    else low = middle + 1
  }
  return low
}
