import type { Schemas } from '../../../src/contract/types.ts'
import type { Sql } from '../../../src/infra/postgres/database.ts'
import { DAY, fromNow, insertLots, type LotDraft } from './fixtures.ts'

/** `nearest` needs a ZIP code and has tests of its own. */
type Sort = Exclude<Schemas['Sort'], 'nearest'>

export const SORTS: Sort[] = [
  ...([
    'ending_soon',
    'newest',
    'price_low',
    'price_high',
    'most_bids',
    'best_deals',
    'most_profit',
    'room',
  ] as const),
]

interface Sortable extends LotDraft {
  id: string
}

/** Adds a source with 27 live lots that tie in everything and lack some of everything. */
export async function insertSortable(sql: Sql, source: string): Promise<Sortable[]> {
  await sql`insert into sources (source, name, access) values (${source}, ${source}, 'test')`
  const drafts: LotDraft[] = Array.from({ length: 27 }, (_, n) => ({
    slug: `lot-${n}`,
    source,
    ends_at: n % 4 === 0 ? 'infinity' : fromNow((1 + (n % 3)) * DAY),
    starts_at: n % 5 === 0 ? '-infinity' : fromNow(-(1 + (n % 2)) * DAY),
    current_bid_cents: n % 3 === 0 ? 1_000 * (n % 2) : null,
    starting_bid_cents: n % 3 === 1 ? 500 * (1 + (n % 4)) : null,
    buy_now_cents: n % 6 === 0 ? 1 : n % 6 === 2 ? 1_500 : null,
    num_bids: n % 3,
    flip_score: n % 4 === 1 ? null : 10 * (n % 3),
    expected_profit_cents: n % 5 === 1 ? null : 1_000 * ((n % 4) - 1),
    room_rank: n % 3 === 1 ? null : 500 * (n % 5),
  }))
  const ids = await insertLots(sql, drafts)
  return drafts.map((draft, n) => ({ ...draft, id: ids[n]! }))
}

/** The numbers that a sort goes by, lowest first; null is last. */
const RANKS: Record<Sort, (lot: Sortable) => number | null> = {
  ending_soon: ({ ends_at }) => (ends_at instanceof Date ? ends_at.getTime() : null),
  newest: ({ starts_at }) => (starts_at instanceof Date ? -starts_at.getTime() : null),
  price_low: priceOf,
  price_high: lot => negative(priceOf(lot)),
  most_bids: ({ num_bids }) => -num_bids!,
  best_deals: ({ flip_score }) => negative(flip_score ?? null),
  most_profit: ({ expected_profit_cents }) => negative(expected_profit_cents ?? null),
  room: ({ room_rank }) => negative(room_rank ?? null),
}

/** The ids in the order that the contract promises. */
export function orderedIds(lots: Sortable[], sort: Sort): string[] {
  const sorts: Sort[] = sort === 'best_deals' ? [sort, 'room'] : [sort]
  const ranks = (lot: Sortable) => sorts.map(by => RANKS[by](lot) ?? Number.POSITIVE_INFINITY)
  const order = (a: Sortable, b: Sortable) => {
    const at = ranks(a).findIndex((rank, n) => rank !== ranks(b)[n])
    return at < 0 ? (a.id < b.id ? -1 : 1) : ranks(a)[at]! - ranks(b)[at]!
  }
  return lots.toSorted(order).map(({ id }) => id)
}

function priceOf({
  current_bid_cents,
  starting_bid_cents,
  buy_now_cents,
}: Sortable): number | null {
  return current_bid_cents ?? starting_bid_cents ?? buy_now_cents ?? null
}

function negative(value: number | null): number | null {
  return value === null ? null : -value
}
