import type { CategoryProfile, LotKind } from './catalogue.ts'
import type { LotSource } from './lotSources.ts'
import type { Place } from './places.ts'
import { trueValue } from './pricing.ts'
import { type Random, weighted } from './random.ts'
import { fillTemplate } from './titleTemplate.ts'
import { remark, titleOfMany } from './wording.ts'

/** A lot before the bidding. */
export interface DemoLot {
  source: LotSource
  profile: CategoryProfile
  place: Place
  title: string
  /** Null for real estate, which no federal condition code fits. */
  grade: string | null
  pieces: number
  /** The true value, which bids approach, in US dollars. */
  value: number
}

const drawGrade = weighted([
  { weight: 7, value: 'new' },
  { weight: 64, value: 'usable' },
  { weight: 16, value: 'repairable' },
  { weight: 9, value: 'salvage' },
  { weight: 4, value: 'scrap' },
])

/** The share of lots with several pieces, where a kind allows that. */
const SEVERAL_PIECES = 0.2

/** Makes a lot as the source sells them: place, kind, condition, title and true value. */
export function makeLot(random: Random, source: LotSource): DemoLot {
  const profile = source.drawProfile(random)
  const kind = profile.drawKind(random)
  const place = source.drawPlace(random)
  const grade = profile.vocabulary === 'property' ? null : (kind.grade ?? gradeOf(random, profile))
  const pieces = drawPieces(random, kind)
  const template = random.pick(kind.titles)
  const year = kind.hasYears ? random.whole(kind.firstYear, kind.lastYear) : 0
  const size = kind.sizes.length > 0 ? random.pick(kind.sizes) : NO_SIZE
  const plain = fillTemplate(template, random, { year, size: size.text })
  const value = trueValue(random, {
    profile,
    kind,
    place,
    grade,
    pieces,
    year: template.namesYear ? year : null,
    size_factor: template.namesSize ? size.factor : 1,
  })
  const words =
    (pieces > 1 ? titleOfMany(random, plain, pieces) : plain) + remark(random, grade, profile.vocabulary)
  const title = random.chance(source.capitals) ? words.toUpperCase() : words
  return { source, profile, place, title: title.slice(0, source.title_limit).trimEnd(), grade, pieces, value }
}

const NO_SIZE = { text: '', factor: 1 }

/** New vehicles are not sold as surplus. */
function gradeOf(random: Random, profile: CategoryProfile): string {
  const grade = drawGrade(random)
  return profile.vocabulary === 'vehicle' && grade === 'new' ? 'usable' : grade
}

/** Small quantities are the most common. */
function drawPieces(random: Random, kind: LotKind): number {
  if (kind.count === 1 || !random.chance(SEVERAL_PIECES)) return 1
  return 2 + Math.floor((kind.count - 1) * random.next() * random.next())
}
