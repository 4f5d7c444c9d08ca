/** What became of a lot; null while the source has not said. */
export type Outcome = 'sold' | 'unsold' | 'withdrawn'

/** What a final price is, best first: the award, the high bid at the close, the last bid seen before it. */
export const PRICE_BASES = ['awarded', 'closed_high_bid', 'last_observed'] as const
export type PriceBasis = (typeof PRICE_BASES)[number]

/** How a lot is sold: to the highest bidder, or at a price that the seller sets. */
export const OFFER_KINDS = ['auction', 'fixed_price'] as const
type OfferKind = (typeof OFFER_KINDS)[number]

type SqlType = 'text' | 'bigint' | 'integer' | 'float8' | 'boolean' | 'timestamptz'
type Home = 'both' | 'feed' | 'table'

/** A column of the feed format, of the table `lots`, or of both under one name. */
interface Column<Value, In extends Home> {
  home: In
  sql: SqlType
  /** For the compiler alone. */
  value?: Value
}

const both = <Value>(sql: SqlType): Column<Value, 'both'> => ({ home: 'both', sql })
const feed = <Value>(sql: SqlType): Column<Value, 'feed'> => ({ home: 'feed', sql })
const table = <Value>(sql: SqlType): Column<Value, 'table'> => ({ home: 'table', sql })

/**
 * Every column of a lot that a load reads or writes: first those of the feed format, in its order. Money is in integer US cents, times
 * are RFC 3339 in UTC, and null means that the feed does not say.
 */
const COLUMNS = {
  source: both<string>('text'),
  source_id: both<string>('text'),
  title: both<string>('text'),
  description: both<string | null>('text'),
  category: both<string | null>('text'),
  state: both<string | null>('text'),
  city: both<string | null>('text'),
  zip: both<string | null>('text'),
  current_bid_cents: both<number | null>('bigint'),
  buy_now_cents: both<number | null>('bigint'),
  starting_bid_cents: both<number | null>('bigint'),
  num_bids: both<number>('integer'),
  condition_grade: both<string | null>('text'),
  image_url: both<string | null>('text'),
  start_date: feed<string | null>('timestamptz'),
  end_date: feed<string | null>('timestamptz'),
  source_url: both<string>('text'),
  outcome: both<Outcome | null>('text'),
  final_bid_cents: both<number | null>('bigint'),
  price_basis: both<PriceBasis | null>('text'),
  offer_kind: both<OfferKind>('text'),
  /** What the description of an open lot says of the lot itself. */
  describing: table<string | null>('text'),
  slug: table<string>('text'),
  item: table<string | null>('text'),
  quantity: table<number | null>('integer'),
  is_piece: table<boolean>('boolean'),
  vehicle_year: table<number | null>('integer'),
  vehicle_make: table<string | null>('text'),
  vehicle_model: table<string | null>('text'),
  latitude: table<number | null>('float8'),
  longitude: table<number | null>('float8'),
  starts_at: table<string>('timestamptz'),
  ends_at: table<string>('timestamptz'),
  is_open: table<boolean>('boolean'),
  sold_at: table<string | null>('timestamptz'),
}

type Name = keyof typeof COLUMNS
type NameIn<In extends Home> = { [N in Name]: (typeof COLUMNS)[N]['home'] extends In ? N : never }[Name]
type Values<In extends Home> = {
  [N in NameIn<In>]: (typeof COLUMNS)[N] extends Column<infer Value, Home> ? Value : never
}

/** One lot as a feed describes it, in the columns of the feed format, checked. */
export interface LotRow extends Values<'both' | 'feed'> {
  /** The source says that bidding has not begun, so the lot is upcoming even when `start_date` is past or unknown. */
  is_preview?: boolean
  /** The coordinates that the source itself gives, in degrees; otherwise those of the ZIP code or the city are used. */
  point?: { latitude: number; longitude: number } | null
}

/** One lot in the columns of the table `lots` that a load fills. */
export type StagedLot = Values<'both' | 'table'>

const NAMES = Object.keys(COLUMNS) as Name[]
const isIn = (...homes: Home[]) => NAMES.filter(name => homes.includes(COLUMNS[name].home))

/** The columns of the feed format, in its order. */
export const FEED_COLUMNS: readonly string[] = isIn('both', 'feed')
/** The columns of the feed format that hold numbers: text in a CSV. */
export const NUMERIC_FEED_COLUMNS: ReadonlySet<string> = new Set(
  isIn('both', 'feed').filter(name => /int/.test(COLUMNS[name].sql)),
)
/** The columns of `lots` that a load fills. */
export const LOT_COLUMNS = isIn('both', 'table') as readonly NameIn<'both' | 'table'>[]

/** The type of such a column in SQL. */
export function sqlTypeOf(column: (typeof LOT_COLUMNS)[number]): string {
  return COLUMNS[column].sql
}

/** What the end of a lot makes of it. */
export type Closing = Pick<StagedLot, 'is_open' | 'final_bid_cents' | 'price_basis' | 'sold_at'>

/**
 * How a row's lot stands at `now`. A lot without an outcome whose end has passed has ended, and its last bid, when there
 * is one above 0, is a sale with the basis `last_observed`. A sale counts from the lot's end, or from now when the end
 * is unknown or still to come.
 */
export function closingOf(
  row: Pick<LotRow, 'outcome' | 'end_date' | 'current_bid_cents' | 'final_bid_cents' | 'price_basis'>,
  now: Date,
): Closing {
  const isPast = row.end_date !== null && Date.parse(row.end_date) <= now.getTime()
  const unsold = { is_open: false, final_bid_cents: null, price_basis: null, sold_at: null }
  if (row.outcome === null && !isPast) return { ...unsold, is_open: true }
  if (row.outcome === null) {
    const final_bid_cents = row.current_bid_cents
    if (!final_bid_cents) return unsold
    return { is_open: false, final_bid_cents, price_basis: 'last_observed', sold_at: row.end_date }
  }
  const sold_at = row.outcome === 'sold' ? (isPast ? row.end_date : now.toISOString()) : null
  return { is_open: false, final_bid_cents: row.final_bid_cents, price_basis: row.price_basis, sold_at }
}

const LONGEST_TITLE = 80

/**
 * The readable half of a lot's address: title, source and source id in lower-case ASCII letters, digits and hyphens,
 * like `2014-ford-f-150-xl-gsa-3-1-qsc-i-27-006-005`. Two lots can have the same slug; the merge makes them distinct.
 */
export function slugOf(title: string, source: string, sourceId: string): string {
  const words = slugified(title).slice(0, LONGEST_TITLE).replace(/-+$/, '')
  return [words || 'lot', source, slugified(sourceId)].filter(part => part !== '').join('-')
}

/** Accents are dropped (é becomes e); whatever is not a letter or a digit then becomes one hyphen. */
function slugified(text: string): string {
  const plain = /[^ -~]/.test(text) ? text.normalize('NFKD').replace(/\p{M}+/gu, '') : text
  return plain
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '')
}
