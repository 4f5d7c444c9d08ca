import { ApiError } from '../../contract/errors.ts'
import {
  eventsOf,
  isWithinHours,
  type LotEvent,
  timeEvents,
} from '../../domain/alerts/matchEvents.ts'
import {
  CLOCK_SECONDS,
  ENDING_HOURS,
  ENDING_HOURS_OF_WATCHED,
} from '../../domain/alerts/schedule.ts'
import {
  type Condition,
  conditionsInMemory,
  type ListingFilter,
  passedBefore,
} from '../../domain/search/filters.ts'
import {
  type ChangedLot,
  readChangedLots,
  readDueLots,
  readWordMatches,
} from '../../infra/alerts/changedLots.ts'
import { dueAfterClockAhead } from '../../infra/alerts/deliveries.ts'
import {
  type ActiveSearch,
  countOthers,
  type Match,
  type Progress,
  readActiveSearches,
  readProgress,
  storeMatches,
} from '../../infra/alerts/matches.ts'
import { reopenLotsClosedAhead } from '../../infra/ingestion/closings.ts'
import { unlessLocked } from '../../infra/ingestion/locks.ts'
import { clock } from '../../infra/postgres/clock.ts'
import type { Sql } from '../../infra/postgres/database.ts'
import type { Clock } from '../../infra/postgres/sql.ts'
import { filterOf, withDefaults } from '../searchLots.ts'

/**
 * Changes, or lots that are due. Bounds the memory of a tick: of 1,000 searches
 * with webhooks that find each, a batch makes a million matches.
 */
const BATCH = 1_000

/**
 * So many matches of a search without a webhook are stored in a tick; of the
 * other lots only the number, since a mail lists 20. Why: each evening with
 * thousands of broad searches; 10,000 of them × 5,000 bids made 893,000 rows,
 * `npx vitest run test/alerts/matching.test.ts`.
 */
const MOST_STORED = 50

interface Search extends ActiveSearch {
  /** Null for a watched lot. */
  filter: ListingFilter | null
}

/** An event of a lot, with the lot. */
interface EventOfLot extends ChangedLot {
  /** Equal for events that are the same match: several changes may make one. */
  match: string
  event: Match['event']
  isLive: boolean
}

/** What a batch found. */
interface Found {
  matches: Match[]
  /**
   * How many lots of a search are in none of its matches, by the id of the
   * search.
   */
  others: Map<number, number>
}

/** The searches of a call, and what it has stored of them. */
interface Tick {
  sql: Sql
  now_ms: number
  searches: Search[]
  /** How many matches of each search, by id. */
  kept: Map<number, number>
  /** How many lots of a search are in none of its matches, by its id. */
  others: Map<number, number>
  stored: number
}

type Words = Awaited<ReturnType<typeof readWordMatches>>

interface Batch {
  /** Those of a lot one after the other. */
  events: EventOfLot[]
  now_ms: number
}

/**
 * Matches the changes since the last call against the saved searches, with the
 * function that filters a search. Any number of processes may do so at once:
 * each match is stored once, with its deliveries. Without changes it costs one
 * query.
 * @param sql an admin connection.
 * @param options a null clock is that of the database; the signal stops after
 * the current batch.
 * @returns how many matches were stored.
 * @throws Error when an endpoint, or a search that sends to one, was deleted
 * meanwhile; the next call goes on.
 */
export async function matchChanges(
  sql: Sql,
  { now, signal }: { now: Clock; signal?: AbortSignal },
): Promise<number> {
  const { last_change, now_ms, streams } = await readProgress({
    sql,
    now: clock(now),
  })
  const seconds = Math.floor(now_ms / 1000)
  const wasAhead = streams.clock > seconds + CLOCK_SECONDS
  // While another session loads, the next call does it.
  if (
    wasAhead &&
    (await unlessLocked(sql, 'loads', () => afterClockAhead(sql, now))) === null
  )
    return 0
  const clockIsDue = wasAhead || seconds >= streams.clock + CLOCK_SECONDS
  if (!clockIsDue && streams.changes >= last_change) return 0
  const searches = (await readActiveSearches(sql, streams.changes)).flatMap(
    parsed,
  )
  const tick: Tick = {
    sql,
    now_ms,
    searches,
    kept: new Map(),
    others: new Map(),
    stored: 0,
  }
  let from = streams.changes
  while (from < last_change && !signal?.aborted) {
    const to =
      searches.length === 0 ? last_change : Math.min(last_change, from + BATCH)
    const lots =
      searches.length === 0 ? [] : await readChangedLots(sql, from, to)
    const eventsOfLot = (lot: ChangedLot) =>
      lot.changes.flatMap(each => eventsOf(each, lot, now_ms))
    const batch = batchOf(lots, eventsOfLot, now_ms)
    if (!(await matchBatch(tick, batch, { stream: 'changes', from, to }))) break
    from = to
  }
  if (clockIsDue) await matchTime(tick, streams.clock)
  await countOthers(sql, tick.others)
  return tick.stored
}

/**
 * Stores what the searches find in a batch.
 * @returns whether this process was the first to do so.
 */
async function matchBatch(
  tick: Tick,
  batch: Batch,
  progress: Progress,
): Promise<boolean> {
  const { matches, others } = await matchesIn(tick, batch)
  const count = await storeMatches(
    tick.sql,
    progress,
    matches,
    new Date(tick.now_ms),
  )
  if (count === null) return false
  for (const [search, more] of others)
    tick.others.set(search, (tick.others.get(search) ?? 0) + more)
  tick.stored += count
  return true
}

/**
 * Undoes what a clock that was ahead has closed and put off. Why: who waits for
 * alerts after the clock of the database was set right; `npx vitest run
 * test/faults/clockBack.test.ts`
 */
async function afterClockAhead(sql: Sql, now: Clock): Promise<true> {
  await reopenLotsClosedAhead(sql, now)
  await dueAfterClockAhead({ sql, now: clock(now) })
  return true
}

/**
 * Matches the lots that began, and those whose last hours began, since the last
 * time; the first call only stores the time. The time moves on with the last
 * batch: what a process that is killed has stored is found again, and stored
 * once.
 */
async function matchTime(tick: Tick, from: number): Promise<void> {
  const { sql, now_ms, searches } = tick
  const to = Math.floor(now_ms / 1000)
  const [from_ms, to_ms] = [from * 1000, to * 1000]
  const hours = [...new Set(searches.map(({ filter }) => hoursOf(filter)))]
  const lots =
    from === 0 || searches.length === 0
      ? []
      : await readDueLots(sql, from_ms, to_ms, hours)
  let isFirst: boolean
  do {
    const batch = batchOf(
      lots.splice(0, BATCH),
      lot => timeEvents(lot, from_ms, to_ms),
      to_ms,
    )
    const progress = {
      stream: 'clock' as const,
      from,
      to: lots.length > 0 ? from : to,
    }
    isFirst = await matchBatch(tick, batch, progress)
  } while (isFirst && lots.length > 0)
}

function batchOf(
  lots: ChangedLot[],
  eventsOfLot: (lot: ChangedLot) => LotEvent[],
  now_ms: number,
): Batch {
  const events = lots.flatMap(lot => {
    const isLive =
      lot.is_open && lot.starts_ms <= now_ms && lot.ends_ms > now_ms
    return eventsOfLot(lot).map(event => ({
      ...lot,
      isLive,
      event: { ...event, lot_id: lot.id },
      match: `${lot.id} ${event.kind} ${event.value}`,
    }))
  })
  return { events, now_ms }
}

async function matchesIn(
  { sql, searches, kept }: Tick,
  batch: Batch,
): Promise<Found> {
  const { events } = batch
  const found: Found = { matches: [], others: new Map() }
  if (events.length === 0) return found
  const ids = new Set(events.map(({ id }) => id))
  const texts = new Set(searches.flatMap(({ filter }) => filter?.q?.all ?? []))
  const words = await readWordMatches(sql, [...texts], [...ids])
  const passingOf = createFinder(batch, words)
  for (const search of searches) {
    if (search.lot_id !== null && !ids.has(search.lot_id)) continue
    const isBounded = search.filter !== null && search.endpoint_ids.length === 0
    let left = isBounded
      ? MOST_STORED - (kept.get(search.id) ?? 0)
      : Number.POSITIVE_INFINITY
    let others = 0
    let last = ''
    const seen = new Set<string>()
    const passing = passingOf(search)
    for (let at = 0; at < passing.length; at++) {
      if (passing[at] === 0) continue
      const { id, match, event } = events[at]!
      if (left === 0) {
        if (id !== last) others++
      } else if (!seen.has(match)) {
        seen.add(match)
        left--
        found.matches.push({ search, event })
      }
      last = id
    }
    if (isBounded) kept.set(search.id, MOST_STORED - left)
    if (others > 0) found.others.set(search.id, others)
  }
  return found
}

/**
 * Finds the events of a batch that a search is told of: of each 1, else 0. A
 * condition of several searches is tested once an event. Why: each evening with
 * thousands of broad searches; tested search by search, 1,000 of them × 5,000
 * bids take 10 s of processor time, and with this 10,000 take 5 s; `npx vitest
 * run test/alerts/matching.test.ts`.
 */
function createFinder({ events, now_ms }: Batch, words: Words) {
  const known = new Map<string, Uint8Array>()
  return (search: Search): Uint8Array => {
    const passing = new Uint8Array(events.length).fill(1)
    for (const { key, test } of conditionsOf(search, words, now_ms)) {
      const passes =
        known.get(key) ??
        new Uint8Array(events.map(event => Number(test(event))))
      known.set(key, passes)
      for (let at = 0; at < passing.length; at++) passing[at]! &= passes[at]!
    }
    return passing
  }
}

/**
 * Each must be true. Events other than `status` match a search only while the
 * lot is live, because searches show live lots; a watched lot matches at any
 * time.
 */
function conditionsOf(
  { kinds, since_change, filter, lot_id }: Search,
  words: Words,
  now_ms: number,
): Condition<EventOfLot>[] {
  const hours = hoursOf(filter)
  const text = filter?.q?.all
  return [
    {
      key: JSON.stringify([kinds, since_change, hours, lot_id]),
      test: ({ id, isLive, event }) =>
        kinds.includes(event.kind) &&
        (event.seq === null || event.seq > since_change) &&
        (lot_id === null ? isLive || event.kind === 'status' : id === lot_id) &&
        isWithinHours(event, hours),
    },
    {
      // The filters that have `passedBefore`.
      key: JSON.stringify([filter?.min_flip_score, filter?.value_min]),
      test: ({ event: { before } }) =>
        !before || (filter !== null && !passedBefore(filter, before)),
    },
    {
      key: `words ${text}`,
      test: ({ id }) => text === undefined || words.get(text)?.has(id) === true,
    },
    ...(filter ? conditionsInMemory(filter, now_ms) : []),
  ]
}

function hoursOf(filter: ListingFilter | null) {
  return filter === null
    ? ENDING_HOURS_OF_WATCHED
    : (filter.closing_within_hours ?? ENDING_HOURS)
}

/**
 * A search whose parameters are no longer valid (a ZIP code that was removed)
 * finds nothing, as a call with them would.
 */
function parsed(search: ActiveSearch): Search[] {
  if (search.lot_id !== null) return [{ ...search, filter: null }]
  try {
    return [{ ...search, filter: filterOf(withDefaults(search.query)) }]
  } catch (error) {
    if (error instanceof ApiError) return []
    throw error
  }
}
