/** What became of a lot; null while the source has not said. */
export type Outcome = 'sold' | 'unsold' | 'withdrawn'

/**
 * What a final price is, best first: the award, the high bid at the close, the
 * last bid seen before it.
 */
export const PRICE_BASES = [
  'awarded',
  'closed_high_bid',
  'last_observed',
] as const
export type PriceBasis = (typeof PRICE_BASES)[number]

/**
 * How rows are read. Raise it with each change after which the same bytes of a
 * source give other columns of a lot: what the first load then reads
 * differently is no change to log or to alert of.
 */
export const READING_VERSION = 5

/**
 * How a lot is sold: to the highest bidder, or at a price that the seller sets.
 */
export const OFFER_KINDS = ['auction', 'fixed_price'] as const
type OfferKind = (typeof OFFER_KINDS)[number]

/**
 * A column with its type in SQL; `value` is for the compiler alone. Numbers may
 * be null.
 */
const column = <Value>(sql: string): { sql: string; value?: Value } => ({ sql })
const TEXT = column<string>('text')
const TEXT_OR_NULL = column<string | null>('text')
const CENTS = column<number | null>('bigint')
const WHOLE = column<number | null>('integer')
const DECIMAL = column<number | null>('float8')
const MOMENT = column<string>('timestamptz')
const MOMENT_OR_NULL = column<string | null>('timestamptz')
const FLAG = column<boolean>('boolean')
const FLAG_OR_NULL = column<boolean | null>('boolean')

/**
 * The columns that the feed format and the table `lots` have under one name.
 * Money is in integer US cents, times are RFC 3339 in UTC, and null means that
 * the feed does not say.
 */
const SHARED = {
  source: TEXT,
  source_id: TEXT,
  title: TEXT,
  description: TEXT_OR_NULL,
  category: TEXT_OR_NULL,
  state: TEXT_OR_NULL,
  city: TEXT_OR_NULL,
  zip: TEXT_OR_NULL,
  current_bid_cents: CENTS,
  buy_now_cents: CENTS,
  starting_bid_cents: CENTS,
  num_bids: column<number>('integer'),
  condition_grade: TEXT_OR_NULL,
  image_url: TEXT_OR_NULL,
  source_url: TEXT,
  outcome: column<Outcome | null>('text'),
  final_bid_cents: CENTS,
  price_basis: column<PriceBasis | null>('text'),
  offer_kind: column<OfferKind>('text'),
  bid_increment_cents: CENTS,
  auction_name: TEXT_OR_NULL,
  reserve_met: FLAG_OR_NULL,
  buyers_premium_percent: column<number | null>('numeric'),
  odometer_miles: WHOLE,
  engine_hours: DECIMAL,
  runs: FLAG_OR_NULL,
  road_title: FLAG_OR_NULL,
  open_recall: FLAG_OR_NULL,
}
const OF_FEED = {
  start_date: MOMENT_OR_NULL,
  end_date: MOMENT_OR_NULL,
}
const OF_TABLE = {
  /**
   * Whether the source says how many bids there are; otherwise `num_bids` is 0.
   */
  bids_known: FLAG,
  /** What the description of an open lot says of the lot itself. */
  describing: TEXT_OR_NULL,
  slug: TEXT,
  auction_id: TEXT_OR_NULL,
  bid_conditions: column<string[]>('text[]'),
  item: TEXT_OR_NULL,
  quantity: WHOLE,
  is_piece: FLAG,
  vehicle_year: WHOLE,
  vehicle_make: TEXT_OR_NULL,
  vehicle_model: TEXT_OR_NULL,
  latitude: DECIMAL,
  longitude: DECIMAL,
  starts_at: MOMENT,
  ends_at: MOMENT,
  is_open: FLAG,
  sold_at: MOMENT_OR_NULL,
  seen_by: TEXT_OR_NULL,
}

type Values<Columns> = {
  -readonly [Name in keyof Columns]: Columns[Name] extends {
    value?: infer Value
  }
    ? Value
    : never
}

/**
 * One lot as a feed describes it, in the columns of the feed format, checked.
 */
export interface LotRow extends Values<typeof SHARED & typeof OF_FEED> {
  /**
   * False where `num_bids` is 0 because the source does not say how many there
   * are.
   */
  bids_known?: boolean
  /**
   * The source says that bidding has not begun, so the lot is upcoming even
   * when `start_date` is past or unknown.
   */
  is_preview?: boolean
  /** Where they were read before people were cut out of the description. */
  bid_conditions?: string[]
  /**
   * The cells that could not be read, so that the lot lacks their values;
   * absent where all could.
   */
  unread?: string[]
  /**
   * How many pieces the source itself gives; otherwise the number that the text
   * names counts.
   */
  quantity?: number | null
  /** Who saw the last bid of a closed lot, for `seenFactor`. */
  seen_by?: string
  /**
   * The coordinates that the source itself gives, in degrees; otherwise those
   * of the ZIP code or the city are used.
   */
  point?: { latitude: number; longitude: number } | null
}

/** A column of the feed format. */
export type FeedColumn = keyof (typeof SHARED & typeof OF_FEED)
type NullableColumn = {
  [Name in FeedColumn]: null extends LotRow[Name] ? Name : never
}[FeedColumn]

/** What is known of a lot: the columns that may be null can be absent. */
export type KnownColumns = Omit<LotRow, NullableColumn> & Partial<LotRow>

const LOT = { ...SHARED, ...OF_TABLE }
/** One lot in the columns of the table `lots` that a load fills. */
export type StagedLot = Values<typeof LOT>

/** The columns of the feed format. */
export const FEED_COLUMNS: string[] = Object.keys({ ...SHARED, ...OF_FEED })

/** A row with null in each column that is not known. */
export function completedRow(known: KnownColumns): LotRow {
  const unknown = FEED_COLUMNS.filter(column => !Object.hasOwn(known, column))
  return {
    ...known,
    ...Object.fromEntries(unknown.map(column => [column, null])),
  } as LotRow
}

/** The columns of the feed format that hold numbers: text in a CSV. */
export const NUMERIC_FEED_COLUMNS = new Set(
  Object.entries(SHARED).flatMap(([name, { sql }]) =>
    /int/.test(sql) ? name : [],
  ),
)
/** The columns of `lots` that a load fills. */
export const LOT_COLUMNS = Object.keys(LOT) as readonly (keyof typeof LOT)[]

/** The type of such a column in SQL. */
export function sqlTypeOf(column: keyof typeof LOT): string {
  return LOT[column].sql
}

/** What the end of a lot makes of it. */
export type Closing = Pick<
  StagedLot,
  'is_open' | 'final_bid_cents' | 'price_basis' | 'sold_at'
>

/**
 * How a row's lot stands at `now`. A lot without an outcome whose end has
 * passed has ended, and its last bid, when there is one above 0 and not below a
 * reserve, is a sale with the basis `last_observed`. A sale counts from the
 * lot's end, or from now when the end is unknown or still to come.
 */
export function closingOf(
  row: Pick<
    LotRow,
    | 'outcome'
    | 'end_date'
    | 'current_bid_cents'
    | 'final_bid_cents'
    | 'price_basis'
    | 'reserve_met'
  >,
  now: Date,
): Closing {
  const isPast =
    row.end_date !== null && Date.parse(row.end_date) <= now.getTime()
  const unsold = {
    is_open: false,
    final_bid_cents: null,
    price_basis: null,
    sold_at: null,
  }
  if (row.outcome === null) {
    const final_bid_cents = row.current_bid_cents
    if (!isPast || !final_bid_cents || row.reserve_met === false)
      return { ...unsold, is_open: !isPast }
    return {
      is_open: false,
      final_bid_cents,
      price_basis: 'last_observed',
      sold_at: row.end_date,
    }
  }
  const closedAt = isPast ? row.end_date : now.toISOString()
  const sold_at = row.outcome === 'sold' ? closedAt : null
  return {
    is_open: false,
    final_bid_cents: row.final_bid_cents,
    price_basis: row.price_basis,
    sold_at,
  }
}

const LONGEST_TITLE = 80

/**
 * The readable half of a lot's address: title, source and source id in
 * lower-case ASCII letters, digits and hyphens, like
 * `2014-ford-f-150-xl-gsa-3-1-qsc-i-27-006-005`. Two lots can have the same
 * slug; the merge makes them distinct.
 */
export function slugOf(
  title: string,
  source: string,
  sourceId: string,
): string {
  const words = slugified(title).slice(0, LONGEST_TITLE).replace(/-+$/, '')
  return [words || 'lot', source, slugified(sourceId)].filter(Boolean).join('-')
}

/** Names an auction among those of all sources, like `gsa-3-1-qsc-i-27-006`. */
export function auctionId(source: string, name: string): string {
  return `${source}-${slugified(name)}`
}

/**
 * Accents are dropped (é becomes e); whatever is not a letter or a digit then
 * becomes one hyphen.
 */
function slugified(text: string) {
  const plain = /[^ -~]/.test(text)
    ? text.normalize('NFKD').replace(/\p{M}+/gu, '')
    : text
  return plain
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '')
}
