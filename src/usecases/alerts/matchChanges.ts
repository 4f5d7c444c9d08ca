import { eventsOf, isWithinHours, type LotEvent, timeEvents } from '../../domain/alerts/matchEvents.ts'
import { CLOCK_SECONDS, ENDING_HOURS, ENDING_HOURS_OF_WATCHED } from '../../domain/alerts/schedule.ts'
import { ApiError } from '../../domain/errors.ts'
import { type ListingFilter, matchesInMemory, passedBefore } from '../../domain/search/filters.ts'
import {
  type ChangedLot,
  readChangedLots,
  readDueLots,
  readWordMatches,
} from '../../infra/alerts/changedLots.ts'
import {
  type ActiveSearch,
  type Match,
  readActiveSearches,
  readProgress,
  storeMatches,
} from '../../infra/alerts/matches.ts'
import type { Sql } from '../../infra/postgres/database.ts'
import { clock } from '../../infra/postgres/dataVersion.ts'
import type { Clock } from '../../infra/postgres/sql.ts'
import { filterOf, withDefaults } from '../searchLots.ts'

/** Bounds the memory of a tick: of 10,000 searches that find each lot, a batch makes 10 million matches of 16 bytes. */
const BATCH_CHANGES = 1_000

interface Search extends ActiveSearch {
  /** Null for a watched lot. */
  filter: ListingFilter | null
}

/** A lot with its events. */
interface EventfulLot extends ChangedLot {
  events: Match['event'][]
  isLive: boolean
}

interface Batch {
  lots: EventfulLot[]
  /** The positions of the lots in their list, by id. */
  positions: Map<string, number>
  all: number[]
  now_ms: number
}

/**
 * Matches the changes since the last call against the saved searches, with the function that filters a search. Any number of processes
 * may do so at once: each match is stored once, with its deliveries. Without changes it costs one query.
 * @param sql an admin connection.
 * @param options a null clock is that of the database; the signal stops after the current batch.
 * @returns how many matches were stored.
 * @throws Error when a search or an endpoint was deleted meanwhile; the next call goes on.
 */
export async function matchChanges(sql: Sql, { now, signal }: { now: Clock; signal?: AbortSignal }) {
  const { last_change, now_ms, streams } = await readProgress({ sql, now: clock(now) })
  const seconds = Math.floor(now_ms / 1000)
  const clockIsDue = seconds >= streams.clock + CLOCK_SECONDS
  if (!clockIsDue && streams.changes >= last_change) return 0
  const searches = (await readActiveSearches(sql)).flatMap(parsed)
  let stored = 0
  let from = streams.changes
  while (from < last_change && !signal?.aborted) {
    const to = searches.length === 0 ? last_change : Math.min(last_change, from + BATCH_CHANGES)
    const lots = searches.length === 0 ? [] : await readChangedLots(sql, from, to)
    const eventsOfLot = (lot: ChangedLot) => lot.changes.flatMap(each => eventsOf(each, lot, now_ms))
    const matches = await matchesIn(sql, searches, batchOf(lots, eventsOfLot, now_ms))
    const count = await storeMatches(sql, { stream: 'changes', from, to }, matches, new Date(now_ms))
    if (count === null) break
    stored += count
    from = to
  }
  return clockIsDue ? stored + (await matchTime(sql, searches, streams.clock, now_ms)) : stored
}

/** Matches the lots that began, and those whose last hours began, since the last time; the first call only stores the time. */
async function matchTime(sql: Sql, searches: Search[], from: number, now_ms: number) {
  const to = Math.floor(now_ms / 1000)
  const [from_ms, to_ms] = [from * 1000, to * 1000]
  const hours = [...new Set(searches.map(({ filter }) => hoursOf(filter)))]
  const lots = from === 0 || searches.length === 0 ? [] : await readDueLots(sql, from_ms, to_ms, hours)
  const batch = batchOf(lots, lot => timeEvents(lot, from_ms, to_ms), to_ms)
  const matches = await matchesIn(sql, searches, batch)
  return (await storeMatches(sql, { stream: 'clock', from, to }, matches, new Date(now_ms))) ?? 0
}

function batchOf(changed: ChangedLot[], eventsOfLot: (lot: ChangedLot) => LotEvent[], now_ms: number): Batch {
  const lots = changed
    .map(lot => ({
      ...lot,
      events: eventsOfLot(lot).map(event => ({ ...event, lot_id: lot.id })),
      isLive: lot.is_open && lot.starts_ms <= now_ms && lot.ends_ms > now_ms,
    }))
    .filter(({ events }) => events.length > 0)
  const positions = new Map(lots.map(({ id }, position) => [id, position]))
  return { lots, positions, all: [...lots.keys()], now_ms }
}

async function matchesIn(sql: Sql, searches: Search[], batch: Batch): Promise<Match[]> {
  const { lots } = batch
  if (lots.length === 0) return []
  const texts = new Set(searches.flatMap(({ filter }) => filter?.q?.all ?? []))
  const words = await readWordMatches(sql, [...texts], [...batch.positions.keys()])
  return searches.flatMap(search =>
    candidatesOf(search, batch, words).flatMap(position =>
      eventsFor(search, lots[position]!).map(event => ({ search, event })),
    ),
  )
}

/** The lots of the batch that a search finds, with any event. */
function candidatesOf(
  { filter, lot_id }: Search,
  { lots, positions, all, now_ms }: Batch,
  words: Map<string, number[]>,
) {
  if (filter === null) return [positions.get(lot_id!) ?? []].flat()
  const having = filter.q ? (words.get(filter.q.all) ?? []) : all
  const isMatch = matchesInMemory(filter, now_ms)
  return having.filter(position => isMatch(lots[position]!))
}

/** Events other than `status` match a search only while the lot is live, because searches show live lots; a watched lot matches at any time. */
function eventsFor({ kinds, since_change, filter }: Search, { events, isLive }: EventfulLot) {
  return events.filter(
    event =>
      kinds.includes(event.kind) &&
      (event.seq === null || event.seq > since_change) &&
      (isLive || event.kind === 'status' || filter === null) &&
      isWithinHours(event, hoursOf(filter)) &&
      (event.before === undefined || (filter !== null && !passedBefore(filter, event.before))),
  )
}

function hoursOf(filter: ListingFilter | null) {
  return filter === null ? ENDING_HOURS_OF_WATCHED : (filter.closing_within_hours ?? ENDING_HOURS)
}

/** A search whose parameters are no longer valid (a ZIP code that was removed) finds nothing, as a call with them would. */
function parsed(search: ActiveSearch): Search[] {
  if (search.lot_id !== null) return [{ ...search, filter: null }]
  try {
    return [{ ...search, filter: filterOf(withDefaults(search.query)) }]
  } catch (error) {
    if (error instanceof ApiError) return []
    throw error
  }
}
