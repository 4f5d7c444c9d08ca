import type { CategoryProfile, LotKind } from './catalogue.ts'
import type { Place } from './places.ts'
import type { Random } from './random.ts'

/** What decides the price of a lot, besides random scatter: only facts that its title or its grade names. */
export interface PriceFacts {
  profile: CategoryProfile
  kind: LotKind
  year: number | null
  size_factor: number
  pieces: number
  grade: string | null
  place: Place
}

/** The price in each condition, relative to a usable lot. */
const GRADE_FACTOR: Record<string, number> = {
  new: 1.5,
  usable: 1,
  repairable: 0.6,
  salvage: 0.4,
  scrap: 0.25,
}

/** A vehicle of the next model year sells for about a tenth more. */
const GAIN_PER_YEAR = 0.1

/** Ten pieces sell for four times the price of one, so a price divided by the quantity of the title misleads. */
const PIECES_EXPONENT = 0.6

/** The true value of a lot, in US dollars, which bids approach. */
export function trueValue(random: Random, facts: PriceFacts): number {
  const { kind, profile } = facts
  const middleYear = (kind.firstYear + kind.lastYear) / 2
  const years = facts.year === null ? 0 : facts.year - middleYear
  const gradeFactor = kind.grade === null && facts.grade !== null ? (GRADE_FACTOR[facts.grade] ?? 1) : 1
  return (
    kind.median *
    facts.size_factor *
    gradeFactor *
    facts.place.price_factor *
    Math.exp(
      GAIN_PER_YEAR * years + PIECES_EXPONENT * Math.log(facts.pieces) + profile.sigma * random.normal(),
    )
  )
}

/** The amount of a bid, at least 5 dollars. Three in four are round, because of bid increments. */
export function bidAmount(random: Random, dollars: number): number {
  const step = dollars < 500 ? 5 : dollars < 5000 ? 25 : dollars < 100_000 ? 50 : 500
  return Math.max(5, random.chance(0.75) ? Math.round(dollars / step) * step : Math.round(dollars))
}

/** A seller's asking price, which is rounder than a bid. */
export function askingPrice(dollars: number): number {
  const step = dollars < 100 ? 5 : dollars < 1000 ? 25 : dollars < 20_000 ? 100 : 1000
  return Math.max(5, Math.round(dollars / step) * step)
}
