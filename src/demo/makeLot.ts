import type { LotKind, Shelf } from './catalogue.ts'
import type { LotSource } from './lotSources.ts'
import type { Place } from './places.ts'
import { hiddenValue } from './pricing.ts'
import { type Random, weighted } from './random.ts'
import { fillTemplate } from './titleTemplate.ts'
import { remark, titleOfMany } from './wording.ts'

/** A lot before anybody bids on it. */
export interface DemoLot {
  source: LotSource
  shelf: Shelf
  place: Place
  title: string
  /** Null for real estate, which no federal condition code fits. */
  grade: string | null
  pieces: number
  /** What it will bring, in US dollars. */
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

/** One lot such as the source sells: where, what, in which condition, under which title, and what it is worth. */
export function draftLot(random: Random, source: LotSource): DemoLot {
  const shelf = source.drawShelf(random)
  const kind = shelf.drawKind(random)
  const place = source.drawPlace(random)
  const grade = shelf.vocabulary === 'property' ? null : (kind.grade ?? gradeOf(random, shelf))
  const pieces = drawPieces(random, kind)
  const template = random.pick(kind.titles)
  const year = kind.hasYears ? random.whole(kind.firstYear, kind.lastYear) : 0
  const size = kind.sizes.length > 0 ? random.pick(kind.sizes) : NO_SIZE
  const plain = fillTemplate(template, random, { year, size: size.text })
  const value = hiddenValue(random, {
    shelf,
    kind,
    place,
    grade,
    pieces,
    year: template.tellsYear ? year : null,
    size_factor: template.tellsSize ? size.factor : 1,
  })
  const told =
    (pieces > 1 ? titleOfMany(random, plain, pieces) : plain) + remark(random, grade, shelf.vocabulary)
  const title = random.chance(source.capitals) ? told.toUpperCase() : told
  return { source, shelf, place, title: title.slice(0, source.title_limit).trimEnd(), grade, pieces, value }
}

const NO_SIZE = { text: '', factor: 1 }

/** Nobody sells a new car as surplus. */
function gradeOf(random: Random, shelf: Shelf): string {
  const grade = drawGrade(random)
  return shelf.vocabulary === 'vehicle' && grade === 'new' ? 'usable' : grade
}

/** Small quantities are the most common. */
function drawPieces(random: Random, kind: LotKind): number {
  if (kind.count === 1 || !random.chance(SEVERAL_PIECES)) return 1
  return 2 + Math.floor((kind.count - 1) * random.next() * random.next())
}
