import { groupBy, orderBy, runningCount } from './columns.ts'
import { fact, factMask } from './lotFacts.ts'
import { type Coded, ID_BYTES, type IndexedLot, type LotIndex } from './lotIndex.ts'

export interface LotIndexBuilder {
  /** Lots come in the order of their ids. */
  add(lot: IndexedLot): void
  build(): LotIndex
}

/** @param lots how many will be added, exactly. */
export function lotIndexBuilder(lots: number, as_of_ms: number): LotIndexBuilder {
  const numbers = () => new Float64Array(lots)
  const ids = new Uint8Array(lots * ID_BYTES)
  const ends_ms = numbers()
  const price_cents = numbers()
  const facts = new Uint32Array(lots)
  const keys = { newest: numbers(), most_bids: numbers(), best_deals: numbers() }
  const upcoming: { ordinal: number; starts_ms: number }[] = []
  const categories = coder(new Uint16Array(lots))
  const states = coder(new Uint16Array(lots))
  const sources = coder(new Uint16Array(lots))
  const placeCodes = new Uint32Array(lots)
  const places = coder(placeCodes)
  const latitudes: number[] = []
  const longitudes: number[] = []
  let added = 0

  function add(lot: IndexedLot): void {
    const at = added++
    writeId(lot.id, ids, at * ID_BYTES)
    ends_ms[at] = lot.ends_ms
    price_cents[at] = lot.price_cents ?? Number.POSITIVE_INFINITY
    keys.newest[at] = -lot.starts_ms
    keys.most_bids[at] = -lot.num_bids
    keys.best_deals[at] = -(lot.flip_score ?? Number.NEGATIVE_INFINITY)
    const { latitude, longitude } = lot
    const isPlaced = latitude !== null && longitude !== null
    const place = places.add(at, isPlaced ? `${latitude} ${longitude}` : '')
    latitudes[place] = isPlaced ? latitude : Number.NaN
    longitudes[place] = isPlaced ? longitude : Number.NaN
    const isUpcoming = lot.starts_ms > as_of_ms
    if (isUpcoming) upcoming.push({ ordinal: at, starts_ms: lot.starts_ms })
    facts[at] =
      fact('category', categories.add(at, lot.category)) |
      fact('state', states.add(at, lot.state ?? '')) |
      fact('source', sources.add(at, lot.source)) |
      fact('hasBids', lot.num_bids > 0 ? 1 : 0) |
      fact('hasBuyNow', lot.has_buy_now ? 1 : 0) |
      fact('wasUpcoming', isUpcoming ? 1 : 0)
  }

  const hasBegun = (ordinal: number) => (facts[ordinal]! & factMask('wasUpcoming')) === 0

  function build(): LotIndex {
    upcoming.sort((a, b) => a.starts_ms - b.starts_ms)
    const dearest = price_cents.map(price => (price === Number.POSITIVE_INFINITY ? price : -price))
    const cheapest = orderBy(price_cents)
    const category = categories.coded(cheapest, facts, hasBegun)
    const byCategoryAndPrice = category.groups.ordinals
    return {
      lots,
      as_of_ms,
      ids,
      ends_ms,
      price_cents,
      facts,
      category,
      state: states.coded(byCategoryAndPrice, facts, hasBegun),
      source: sources.coded(byCategoryAndPrice, facts, hasBegun),
      place: places.coded(byCategoryAndPrice, facts, hasBegun),
      places: placeCodes,
      latitudes: Float64Array.from(latitudes),
      longitudes: Float64Array.from(longitudes),
      northward: orderBy(
        Float64Array.from(latitudes, north => (Number.isNaN(north) ? Number.POSITIVE_INFINITY : north)),
      ),
      upcoming: {
        ordinals: Uint32Array.from(upcoming, ({ ordinal }) => ordinal),
        starts_ms: Float64Array.from(upcoming, ({ starts_ms }) => starts_ms),
      },
      orders: {
        ending_soon: orderBy(ends_ms),
        newest: orderBy(keys.newest),
        price_low: cheapest,
        price_high: orderBy(dearest),
        most_bids: orderBy(keys.most_bids),
        best_deals: orderBy(keys.best_deals),
      },
      begunBelow: runningCount(cheapest, hasBegun),
    }
  }

  return { add, build }
}

/** Numbers the values as they come. */
function coder(codes: Uint16Array | Uint32Array) {
  const byValue = new Map<string, number>()
  return {
    add(ordinal: number, value: string): number {
      let code = byValue.get(value)
      if (code === undefined) {
        code = byValue.size
        byValue.set(value, code)
      }
      codes[ordinal] = code
      return code
    },
    coded: (order: Uint32Array, facts: Uint32Array, hasBegun: (ordinal: number) => boolean): Coded => ({
      byValue,
      groups: groupBy(order, codes, byValue.size, facts, hasBegun),
    }),
  }
}

/** Its 32 hexadecimal digits as 16 bytes, without a buffer for each of a million. */
function writeId(id: string, bytes: Uint8Array, offset: number): void {
  let at = offset
  for (let place = 0; place < id.length; place += 2) {
    if (id[place] === '-') place += 1
    bytes[at++] = Number.parseInt(id.slice(place, place + 2), 16)
  }
}
