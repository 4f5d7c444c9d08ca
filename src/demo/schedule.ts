import type { Random } from './random.ts'

/** Start and end of a lot, in milliseconds since 1970. */
export interface Schedule {
  startsAt: number
  endsAt: number
}

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

/** The longest and the shortest time that a live lot has left in a new demo. */
const LONGEST_DAYS_LEFT = 43
const SHORTEST_LEFT = 2 * HOUR

/** A lot that ended on one of the 364 days before the day of `asOf`, all equally likely. */
export function closedSchedule(random: Random, asOf: number): Schedule {
  const endsAt = startOfDay(asOf) - random.whole(1, 364) * DAY + closingTime(random)
  return { startsAt: endsAt - random.whole(5, 14) * DAY - random.whole(0, 300) * MINUTE, endsAt }
}

/** A live lot: five in six end within ten days, none within two hours, none after 45 days. */
export function liveSchedule(random: Random, asOf: number): Schedule {
  const daysLeft = Math.min(LONGEST_DAYS_LEFT, Math.floor(-5.5 * Math.log(1 - random.next())))
  let endsAt = startOfDay(asOf) + daysLeft * DAY + closingTime(random)
  if (endsAt <= asOf + SHORTEST_LEFT) endsAt += DAY
  if (endsAt <= asOf + SHORTEST_LEFT) endsAt += DAY
  return { startsAt: asOf - random.whole(30, 12 * 24 * 60) * MINUTE, endsAt }
}

/** A lot that is announced and opens within ten days. */
export function upcomingSchedule(random: Random, asOf: number): Schedule {
  const startsAt = asOf + random.whole(60, 10 * 24 * 60) * MINUTE
  return { startsAt, endsAt: startOfDay(startsAt) + random.whole(4, 14) * DAY + closingTime(random) }
}

/** Sales close in US business hours: 14:00 to 23:59 UTC, most on five minutes. */
function closingTime(random: Random): number {
  const minute = random.chance(0.7) ? random.whole(0, 11) * 5 : random.whole(0, 59)
  return random.whole(14, 23) * HOUR + minute * MINUTE
}

function startOfDay(moment: number): number {
  return moment - (((moment % DAY) + DAY) % DAY)
}
