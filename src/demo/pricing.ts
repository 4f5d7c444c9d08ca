import type { LotKind, Shelf } from './catalogue.ts'
import type { Place } from './places.ts'
import type { Random } from './random.ts'

/** What is known of a lot when it is priced. Only what its title or its grade tells moves the price, besides plain luck. */
export interface PriceFacts {
  shelf: Shelf
  kind: LotKind
  year: number | null
  size_factor: number
  pieces: number
  grade: string | null
  place: Place
}

/** What a condition does to the price of a usable lot. */
const GRADE_FACTOR: Record<string, number> = {
  new: 1.5,
  usable: 1,
  repairable: 0.6,
  salvage: 0.4,
  scrap: 0.25,
}

/** A vehicle of the next model year brings about a tenth more. */
const GAIN_PER_YEAR = 0.1

/** Ten pieces bring four times the price of one: dividing a price by the quantity of its title misleads. */
const PIECES_EXPONENT = 0.6

/** What the lot will bring, in US dollars: the hidden value that bids approach. */
export function hiddenValue(random: Random, facts: PriceFacts): number {
  const { kind, shelf } = facts
  const middleYear = (kind.firstYear + kind.lastYear) / 2
  const years = facts.year === null ? 0 : facts.year - middleYear
  const gradeFactor = kind.grade === null && facts.grade !== null ? (GRADE_FACTOR[facts.grade] ?? 1) : 1
  return (
    kind.median *
    facts.size_factor *
    gradeFactor *
    facts.place.price_factor *
    Math.exp(GAIN_PER_YEAR * years + PIECES_EXPONENT * Math.log(facts.pieces) + shelf.sigma * random.normal())
  )
}

/** An amount that somebody bid: three in four are round, as bid increments make them. At least 5 dollars. */
export function bidAmount(random: Random, dollars: number): number {
  const step = dollars < 500 ? 5 : dollars < 5000 ? 25 : dollars < 100_000 ? 50 : 500
  return Math.max(5, random.chance(0.75) ? Math.round(dollars / step) * step : Math.round(dollars))
}

/** A price that a seller asks: rounder than a bid. */
export function askingPrice(dollars: number): number {
  const step = dollars < 100 ? 5 : dollars < 1000 ? 25 : dollars < 20_000 ? 100 : 1000
  return Math.max(5, Math.round(dollars / step) * step)
}
