import { Random } from '../../../src/demo/random.ts'
import { lastSecondOfDay } from './centralDays.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
export const DAY_MS = 24 * HOUR_MS
/** A bid in the last minutes moves the end to this long after it. */
const SOFT_CLOSE_MS = 10 * MINUTE_MS
const MOST_SOFT_CLOSES = 8
/** From 03:00 to 11:00 UTC, night in the whole of the United States, nothing happens. */
const DAY_BEGINS_HOUR = 11
const NIGHT_BEGINS_HOUR = 3

/** How a lot stands at a moment, as its source lists it. Times are in ms since 1970. */
export interface Standing {
  n: number
  isPreview: boolean
  title: string
  bidCents: number | null
  bidders: number
  endsAt: number
}

type Happening = [atMs: number, change: (before: Standing) => Partial<Standing>]

/**
 * Of every fourth lot the source gives only the day of the end, although bidding closes at an hour
 * of it.
 */
export const hasOnlyDay = (n: number) => n % 4 === 0

/** One lot from its listing until it is gone. */
interface Life {
  listedAt: number
  goneAt: number
  /** While it is missing from the list by mistake. */
  missing: { from: number; to: number } | null
  /** Each state with the moment from which it held, oldest first. */
  states: { since: number; standing: Standing }[]
}

/** Auctions that run for a week and longer, the same for the same seed. */
export interface AuctionWeek {
  lives: Map<number, Life>
  /** The lots on offer at a moment. */
  listAt(ms: number): Standing[]
}

/** @param start midnight UTC of the first day. */
export function auctionWeek(seed: number, lots: number, start: number): AuctionWeek {
  const lives = new Map(Array.from({ length: lots }, (_, n) => [n + 1, lifeOf(seed, n + 1, start)]))
  const listAt = (ms: number) =>
    [...lives.values()].filter(life => isListed(life, ms)).map(life => standingAt(life, ms)!)
  return { lives, listAt }
}

function isListed({ listedAt, goneAt, missing }: Life, ms: number): boolean {
  return listedAt <= ms && ms < goneAt && !(missing && missing.from <= ms && ms < missing.to)
}

function standingAt({ states }: Life, ms: number): Standing | undefined {
  return states.findLast(({ since }) => since <= ms)?.standing
}

/** Bids come faster towards the end, and a bid in the last minutes moves it. */
function lifeOf(seed: number, n: number, start: number): Life {
  const random = new Random()
  random.restart(seed, n)
  const isOld = random.chance(0.55)
  const listedAt = isOld
    ? start - random.whole(1, 5) * DAY_MS
    : inDaytime(start + random.between(0, 6) * DAY_MS)
  const firstDay = Math.max(0, Math.ceil((listedAt - start) / DAY_MS))
  const plannedEnd =
    start + (firstDay + random.whole(1, 6)) * DAY_MS + random.whole(15 * 60, 23 * 60) * MINUTE_MS
  const happenings: Happening[] = []
  const between = (low: number, high: number) =>
    inDaytime(listedAt + (plannedEnd - listedAt) * random.between(low, high))

  let end = plannedEnd
  if (random.chance(0.06)) {
    end += DAY_MS
    happenings.push([between(0.3, 0.9), () => ({ endsAt: plannedEnd + DAY_MS })])
  }
  if (random.chance(0.06))
    happenings.push([between(0.1, 0.9), ({ title }) => ({ title: `${title} (corrected)` })])
  const isPreview = !isOld && random.chance(0.3)
  if (isPreview) happenings.push([between(0.05, 0.2), () => ({ isPreview: false })])
  const bidding = bidsOf(random, listedAt, end)
  const goneAt = random.chance(0.08) ? between(0.2, 0.95) : bidding.endsAt
  const missingFrom = between(0.2, 0.8)
  const missing = random.chance(0.05) ? { from: missingFrom, to: missingFrom + 3 * HOUR_MS } : null

  const first = { n, isPreview, title: `Lot ${n}`, bidCents: null, bidders: 0, endsAt: plannedEnd }
  const states: Life['states'] = [{ since: listedAt, standing: first }]
  for (const [since, change] of [...happenings, ...bidding.happenings].sort(([a], [b]) => a - b)) {
    const before = states.at(-1)!.standing
    states.push({ since, standing: { ...before, ...change(before) } })
  }
  const asListed = (one: Standing) =>
    hasOnlyDay(n) ? { ...one, endsAt: lastSecondOfDay(one.endsAt) } : one
  const listed = states.map(({ since, standing }) => ({ since, standing: asListed(standing) }))
  return { listedAt, goneAt, missing, states: listed }
}

function bidsOf(
  random: Random,
  listedAt: number,
  plannedEnd: number,
): { happenings: Happening[]; endsAt: number } {
  const count = random.chance(0.25) ? 0 : random.whole(1, 14)
  const times = Array.from({ length: count }, () =>
    inDaytime(plannedEnd - (plannedEnd - listedAt) * random.next() ** 4),
  )
    .filter(at => at < plannedEnd)
    .sort((a, b) => a - b)
  // The source withdraws this bid, so the highest one falls.
  const falls = times.length > 3 && random.chance(0.15) ? random.whole(2, times.length - 1) : -1
  const happenings: Happening[] = []
  let endsAt = plannedEnd
  let softCloses = 0
  for (let k = 0; k < times.length; k += 1) {
    const at = times[k]!
    const step = random.whole(1, 40) * 500
    happenings.push([
      at,
      ({ bidCents, bidders }) =>
        k === falls
          ? { bidCents: Math.round(bidCents! * 0.7) }
          : { bidCents: (bidCents ?? 5_000) + step, bidders: bidders + 1 },
    ])
    if (endsAt - at >= SOFT_CLOSE_MS) continue
    const movedTo = at + SOFT_CLOSE_MS
    endsAt = movedTo
    happenings.push([at, () => ({ endsAt: movedTo })])
    if (k === times.length - 1 && ++softCloses < MOST_SOFT_CLOSES && random.chance(0.7))
      times.push(wholeSecond(random.between(at, movedTo)))
  }
  return { happenings, endsAt }
}

function inDaytime(ms: number): number {
  const hour = new Date(ms).getUTCHours()
  const isNight = hour >= NIGHT_BEGINS_HOUR && hour < DAY_BEGINS_HOUR
  return wholeSecond(isNight ? ms + (DAY_BEGINS_HOUR - NIGHT_BEGINS_HOUR) * HOUR_MS : ms)
}

function wholeSecond(ms: number): number {
  return Math.floor(ms / 1000) * 1000
}
