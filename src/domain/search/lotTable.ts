/** Columns of lots: what a search filters by. A lot is known by its ordinal, its position in the list. */
export interface LotTable {
  lots: number
  /** In milliseconds since 1970; infinity where unknown. */
  ends_ms: Float64Array
  /** The earliest moment at which bidding can close; infinity where unknown. */
  closes_ms: Float64Array
  /** Infinity where there is none. */
  price_cents: Float64Array
  /** The Flip Scores; minus infinity where there is none. */
  scores: Float64Array
  /** The approximate values; minus infinity where there is none. */
  value_cents: Float64Array
  /** NaN where unknown. */
  vehicle_years: Float64Array
  /** Positions in `makes`, which are in lower case; a lot without a make has the make ''. */
  make_codes: Uint16Array
  makes: string[]
  /** Positions in `auctions`; a lot without an auction has the auction ''. */
  auction_codes: Uint32Array
  auctions: string[]
  /** Five properties in 31 bits, see `packFact`. */
  facts: Uint32Array
  /** The values behind the codes in `facts`; a lot without a state has the state ''. */
  categories: string[]
  states: string[]
  sources: string[]
  /** The place of each lot. Lots share places (a ZIP code is one), so distances are calculated once per place. */
  places: Uint32Array
  /** By place; NaN where the place is unknown. */
  latitudes: Float64Array
  longitudes: Float64Array
}

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
export function packFact(name: FactName, value: number): number {
  const [shift, width] = FACTS[name]
  if (value >= 2 ** width) throw new RangeError(`More than ${2 ** width} values of "${name}".`)
  return value << shift
}

/** All bits of a property. */
export function factMask(name: FactName): number {
  const [, width] = FACTS[name]
  return packFact(name, 2 ** width - 1)
}

/** The lots as a table, in their order. */
export function lotTableOf(rows: LotRow[]): LotTable {
  const columnOf = (cellOf: (lot: LotRow) => number) => Float64Array.from(rows, cellOf)
  const auctions = coder()
  const makes = coder()
  const categories = coder()
  const states = coder()
  const sources = coder()
  const points = coder()
  const latitudes: number[] = []
  const longitudes: number[] = []
  const placeOf = ({ latitude, longitude }: LotRow) => {
    const place = points.codeOf(`${latitude} ${longitude}`)
    latitudes[place] = latitude ?? NaN
    longitudes[place] = longitude ?? NaN
    return place
  }
  const factsOf = (lot: LotRow) =>
    packFact('category', categories.codeOf(lot.category)) |
    packFact('state', states.codeOf(lot.state ?? '')) |
    packFact('source', sources.codeOf(lot.source)) |
    packFact('hasBids', lot.num_bids > 0 ? 1 : 0) |
    packFact('hasBuyNow', lot.has_buy_now ? 1 : 0)
  const places = Uint32Array.from(rows, placeOf)
  return {
    lots: rows.length,
    ends_ms: columnOf(lot => lot.ends_ms),
    closes_ms: columnOf(lot => lot.closes_ms),
    price_cents: columnOf(lot => lot.price_cents ?? Infinity),
    scores: columnOf(lot => lot.flip_score ?? -Infinity),
    value_cents: columnOf(lot => lot.approximate_value_cents ?? -Infinity),
    vehicle_years: columnOf(lot => lot.vehicle_year ?? NaN),
    make_codes: Uint16Array.from(rows, lot => makes.codeOf(lot.vehicle_make?.toLowerCase() ?? '')),
    makes: makes.values,
    auction_codes: Uint32Array.from(rows, lot => auctions.codeOf(lot.auction_id ?? '')),
    auctions: auctions.values,
    facts: Uint32Array.from(rows, factsOf),
    categories: categories.values,
    states: states.values,
    sources: sources.values,
    places,
    latitudes: Float64Array.from(latitudes),
    longitudes: Float64Array.from(longitudes),
  }
}

function coder() {
  const codes = new Map<string, number>()
  const values: string[] = []
  return {
    values,
    codeOf(value: string) {
      const code = codes.get(value) ?? values.length
      if (code === values.length) {
        codes.set(value, code)
        values.push(value)
      }
      return code
    },
  }
}
