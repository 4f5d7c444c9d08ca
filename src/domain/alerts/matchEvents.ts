import type { Schemas } from '../../contract/types.ts'
import { HOUR_MS } from '../durations.ts'
import type { AlertKind } from './savedSearch.ts'

/** A change of a lot as the log has it. */
export interface LoggedChange {
  seq: number
  kind: Schemas['ChangeKind']
  observed_at: string
  current_bid_cents: number | null
  num_bids: number
  /** RFC 3339; null where the end is not known. */
  ends_at: string | null
  /**
   * The earliest moment at which it can close by this end, and by the end
   * before the change; null where there is none.
   */
  closes_at: string | null
  ended_before: string | null
  fell: boolean
  /**
   * Of a `score`: the score and the approximate value in US cents before; null
   * without one.
   */
  score_before: number | null
  value_before_cents: number | null
  /**
   * Of a bid or a price: the price before, in US cents; null where it is the
   * same.
   */
  price_before_cents: number | null
}

/** Something that happened to a lot and that saved searches may match. */
export interface LotEvent
  extends Pick<
    LoggedChange,
    'observed_at' | 'current_bid_cents' | 'num_bids' | 'ends_at'
  > {
  kind: AlertKind
  /**
   * Identifies the event: the same kind and value of a lot match a search once.
   * That of `new` is the number of the change that put the lot on offer.
   */
  value: string
  /** The change that it comes from; null where only time has passed. */
  seq: number | null
  /** The price before, in US cents; null where no price changed. */
  former_price_cents: number | null
  /**
   * Of `ending`: how many hours are left now, and were left before. The last
   * hours began when the limit is between them.
   */
  hours_left?: number
  hours_before?: number
  /**
   * Of a `new` that a score or a value brings: new only to searches with a
   * higher bound; null without a score or value.
   */
  before?: Pick<LoggedChange, 'score_before' | 'value_before_cents'>
}

/** The current state of the lot. */
interface EventLot {
  price_cents: number | null
  buy_now_cents: number | null
  offer: number
}

/**
 * The events of a change: none, one, or one and the beginning of the last
 * hours.
 */
export function eventsOf(
  change: LoggedChange,
  lot: EventLot,
  now_ms: number,
): LotEvent[] {
  const {
    kind,
    closes_at,
    ended_before,
    fell,
    score_before,
    value_before_cents,
    price_before_cents,
    ...facts
  } = change
  const { ends_at, seq } = facts
  const event = (of: AlertKind, value: string): LotEvent => ({
    kind: of,
    value,
    former_price_cents: price_before_cents,
    ...facts,
  })
  const ending = () => ({
    ...event('ending', ends_at ?? ''),
    hours_left: hoursUntil(closes_at, now_ms),
    hours_before: hoursUntil(ended_before, now_ms),
  })
  // A bid that was withdrawn leaves the same price where it was the starting
  // bid.
  const priceDrop = () =>
    price_before_cents === null
      ? []
      : [event('price_drop', `${lot.price_cents}/${lot.buy_now_cents}`)]
  switch (kind) {
    case 'listed':
    case 'reopened':
      return [event('new', `${seq}`), ending()]
    case 'bid':
      // A bid that the source no longer gives is no lower price.
      if (fell) return facts.current_bid_cents === null ? [] : priceDrop()
      return [event('bid', `${seq}`)]
    case 'price':
      return fell ? priceDrop() : []
    case 'end_moved':
      return [event('status', `${kind} ${ends_at}`), ending()]
    case 'details':
      return []
    case 'score':
      return [
        {
          ...event('new', `${lot.offer}`),
          before: { score_before, value_before_cents },
        },
      ]
    case 'withdrawn':
      return [event('status', `${kind} ${seq}`)]
    default:
      return [event('status', `${kind} ${ends_at}`)]
  }
}

/**
 * The events of a lot that began, or whose last hours began, between two times.
 */
export function timeEvents(
  lot: EventLot &
    Pick<
      LoggedChange,
      'ends_at' | 'closes_at' | 'num_bids' | 'current_bid_cents'
    > & {
      starts_ms: number
    },
  from_ms: number,
  now_ms: number,
): LotEvent[] {
  const { ends_at, closes_at, num_bids, current_bid_cents, starts_ms, offer } =
    lot
  const observed_at = new Date(now_ms).toISOString()
  const common = {
    seq: null,
    observed_at,
    current_bid_cents,
    former_price_cents: null,
    num_bids,
    ends_at,
  }
  const began = starts_ms > from_ms && starts_ms <= now_ms
  const ending: LotEvent = {
    ...common,
    kind: 'ending',
    value: ends_at ?? '',
    hours_left: hoursUntil(closes_at, now_ms),
    hours_before: hoursUntil(closes_at, from_ms),
  }
  return began
    ? [{ ...common, kind: 'new', value: `${offer}` }, ending]
    : [ending]
}

/**
 * Whether an event matches a search with these hours: each does, except an
 * `ending` of other hours.
 */
export function isWithinHours(
  { hours_left, hours_before }: LotEvent,
  hours: number,
): boolean {
  return (
    hours_left === undefined || (hours_left <= hours && hours_before! > hours)
  )
}

function hoursUntil(moment: string | null, now_ms: number) {
  return moment === null ? Infinity : (Date.parse(moment) - now_ms) / HOUR_MS
}
