import type { CategoryProfile, LotKind } from './catalogue.ts'
import { drawPlace, type LotSource } from './lotSources.ts'
import { type Random, weighted } from './random.ts'
import { fillTemplate, remark, titleOfMany } from './titles.ts'

/** A lot before the bidding. */
export type DemoLot = ReturnType<typeof makeLot>

/** `factor` is the price relative to a usable lot. */
const GRADES = [
  { weight: 7, grade: 'new', factor: 1.5 },
  { weight: 64, grade: 'usable', factor: 1 },
  { weight: 16, grade: 'repairable', factor: 0.6 },
  { weight: 9, grade: 'salvage', factor: 0.4 },
  { weight: 4, grade: 'scrap', factor: 0.25 },
]
const drawGrade = weighted(GRADES)

/** The share of lots with several pieces, where a kind allows that. */
const SEVERAL_PIECES = 0.2

/** A vehicle of the next model year sells for about a tenth more. */
const GAIN_PER_YEAR = 0.1

/** Ten pieces sell for four times the price of one, so a price divided by the quantity of the title misleads. */
const PIECES_EXPONENT = 0.6

/**
 * Makes a lot as the source sells them: place, kind, condition, title and true value. The grade is null for real estate, which no federal
 * condition code fits. Bids approach the value, in US dollars; besides random scatter it depends on facts that the title or the grade names.
 */
export function makeLot(random: Random, source: LotSource) {
  const { profile } = source.drawProfile(random)
  const kind = profile.drawKind(random)
  const place = drawPlace(random)
  const grade = profile.vocabulary === 'property' ? null : (kind.grade ?? gradeOf(random, profile))
  const pieces = drawPieces(random, kind)
  const template = random.pick(kind.titles)
  const [firstYear = 0, lastYear = 0] = kind.years ?? []
  const year = kind.years ? random.whole(firstYear, lastYear) : 0
  const [size, sizeFactor = 1] = kind.sizes ? random.pick(Object.entries(kind.sizes)) : ['']
  const plain = fillTemplate(template, random, { year, size })
  const yearsAfterMiddle = template.includes('{year}') ? year - (firstYear + lastYear) / 2 : 0
  const value =
    kind.median *
    profile.level *
    (template.includes('{size}') ? sizeFactor : 1) *
    (kind.grade ? 1 : gradeFactor(grade)) *
    stateFactor(place.state) *
    Math.exp(
      GAIN_PER_YEAR * yearsAfterMiddle +
        PIECES_EXPONENT * Math.log(pieces) +
        (kind.sigma ?? profile.sigma) * random.normal(),
    )
  const words =
    (pieces > 1 ? titleOfMany(random, plain, pieces) : plain) + remark(random, grade, profile.vocabulary)
  const title = random.chance(source.capitals) ? words.toUpperCase() : words
  return { source, profile, place, title: title.slice(0, source.title_limit).trimEnd(), grade, pieces, value }
}

/** New vehicles are not sold as surplus. */
function gradeOf(random: Random, profile: CategoryProfile): string {
  const { grade } = drawGrade(random)
  return profile.vocabulary === 'vehicle' && grade === 'new' ? 'usable' : grade
}

function gradeFactor(grade: string | null): number {
  return GRADES.find(known => known.grade === grade)?.factor ?? 1
}

/** Any fixed number per state will do: real prices differ a little by state, and no data say how. */
function stateFactor(state: string): number {
  const scattered = (state.charCodeAt(0) * 31 + state.charCodeAt(1) * 17) % 61
  return 0.85 + (0.3 * scattered) / 60
}

/** Small quantities are the most common. */
function drawPieces(random: Random, { count = 1 }: LotKind): number {
  if (count === 1 || !random.chance(SEVERAL_PIECES)) return 1
  return 2 + Math.floor((count - 1) * random.next() * random.next())
}
