import wording from '../../data/demo/wording.json' with { type: 'json' }
import { filled } from '../contract/text.ts'
import {
  type CategoryProfile,
  drawPlace,
  type LotKind,
  type LotSource,
} from './catalogue.ts'
import { type Random, weighted } from './random.ts'

/** A lot before the bidding. */
export type DemoLot = ReturnType<typeof makeLot>

/** `factor` is the price relative to a usable lot. */
const GRADES = wording.grades
const drawGrade = weighted(GRADES)

/** The share of lots with several pieces, where a kind allows that. */
const SEVERAL_PIECES = 0.2

/** A vehicle of the next model year sells for about a tenth more. */
const GAIN_PER_YEAR = 0.1

/**
 * Ten pieces sell for four times the price of one, so a price divided by the
 * quantity of the title misleads.
 */
const PIECES_EXPONENT = 0.6

/**
 * Makes a lot as the source sells them: place, kind, condition, title and true
 * value. The grade is null for real estate, which no federal condition code
 * fits. Bids approach the value, in US dollars; besides random scatter it
 * depends on facts that the title or the grade names.
 */
export function makeLot(random: Random, source: LotSource) {
  const { profile } = source.drawProfile(random)
  const kind = profile.drawKind(random)
  const place = drawPlace(random)
  const grade =
    profile.vocabulary === 'property'
      ? null
      : (kind.grade ?? gradeOf(random, profile))
  const pieces = drawPieces(random, kind)
  const template = random.pick(kind.titles)
  const [firstYear = 0, lastYear = 0] = kind.years ?? []
  const year = kind.years ? random.whole(firstYear, lastYear) : 0
  const [size, sizeFactor = 1] = kind.sizes
    ? random.pick(Object.entries(kind.sizes))
    : ['']
  const plain = fillTemplate(template, random, { year, size })
  const yearsAfterMiddle = template.includes('{year}')
    ? year - (firstYear + lastYear) / 2
    : 0
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
    (pieces > 1 ? titleOfMany(random, plain, pieces) : plain) +
    remark(random, grade, profile.vocabulary)
  const title = random.chance(source.capitals) ? words.toUpperCase() : words
  return {
    source,
    profile,
    place,
    title: title.slice(0, source.title_limit).trimEnd(),
    grade,
    pieces,
    value,
  }
}

/** New vehicles are not sold as surplus. */
function gradeOf(random: Random, profile: CategoryProfile) {
  const { grade } = drawGrade(random)
  return profile.vocabulary === 'vehicle' && grade === 'new' ? 'usable' : grade
}

function gradeFactor(grade: string | null) {
  return GRADES.find(known => known.grade === grade)?.factor ?? 1
}

/**
 * Any fixed number per state will do: real prices differ a little by state, and
 * no data say how.
 */
function stateFactor(state: string) {
  const scattered = (state.charCodeAt(0) * 31 + state.charCodeAt(1) * 17) % 61
  return 0.85 + (0.3 * scattered) / 60
}

/** Small quantities are the most common. */
function drawPieces(random: Random, { count = 1 }: LotKind) {
  if (count === 1 || !random.chance(SEVERAL_PIECES)) return 1
  return 2 + Math.floor((count - 1) * random.next() * random.next())
}

/** The facts of a lot that a title can name. */
interface TitleFacts {
  year: number
  size: string
}

/**
 * Fills a template such as `{year} Ford F-150 {XL|XLT}, {60..180}K miles`:
 * `{a|b}` chooses, `{n..m}` is a whole number, and `{year}`, `{size}`,
 * `{letter}`, `{unit}`, `{part}`, `{serial}` and `{nsn}` are filled in.
 */
function fillTemplate(
  template: string,
  random: Random,
  facts: TitleFacts,
): string {
  return template.replace(/\{([^{}]+)\}/g, (_, name: string) => {
    if (name.includes('|')) return random.pick(name.split('|'))
    const [low, high] = name.split('..')
    if (high !== undefined)
      return String(random.whole(Number(low), Number(high)))
    const slot = SLOTS[name]
    if (!slot)
      throw new Error(`A title template has the unknown slot {${name}}.`)
    return fillTemplate(slot(random, facts), random, facts)
  })
}

const LETTERS = [...'ABCDEFGHJKLMNPRSTUVWXYZ']

/** Each gives a text, or a template to fill in. */
const SLOTS: Record<string, (random: Random, facts: TitleFacts) => string> = {
  year: (_, facts) => String(facts.year),
  size: (_, facts) => facts.size,
  letter: random => random.pick(LETTERS),
  unit: random =>
    random.chance(0.5) ? '{letter}{10000..99999}' : '#{101..9899}',
  part: random =>
    random.chance(0.5) ? '{2..98}-{1000..9999}' : '{letter}{letter}{100..9999}',
  serial: () => 'SN {letter}{100000..999999}',
  // A national stock number: federal supply class, country code of the United
  // States (00 or 01), item number.
  nsn: () => '{1005..9999}-{00|01}-{100..999}-{1000..9999}',
}

/**
 * "Desk" → "Desks", "Chair, Blue" → "Chairs, Blue". A title that ends in a
 * number, a bracket or an s is unchanged.
 */
function plural(title: string) {
  const noun = title.split(/, | w\/ /, 1)[0] ?? title
  return pluralNoun(noun) + title.slice(noun.length)
}

function pluralNoun(noun: string) {
  const capitals = /[A-Z]$/.test(noun)
  if (/(ch|sh|x)$/i.test(noun)) return noun + (capitals ? 'ES' : 'es')
  if (/[^aeiou]y$/i.test(noun))
    return noun.slice(0, -1) + (capitals ? 'IES' : 'ies')
  if (!/[a-z]{3}$/i.test(noun) || /s$/i.test(noun)) return noun
  return noun + (capitals ? 'S' : 's')
}

/** Writes a quantity in one of the ways of federal and municipal sellers. */
function titleOfMany(random: Random, title: string, pieces: number) {
  const many = plural(title)
  const style = random.next()
  const { title: form } = wording.quantities.find(({ below }) => style < below)!
  return filled(form, { pieces, many })
}

/**
 * A remark at the end of the title of a lot in poor condition, in one case of
 * four; most sellers put it in the description.
 */
function remark(random: Random, grade: string | null, vocabulary: string) {
  if (grade === null || grade === 'usable' || !random.chance(0.25)) return ''
  const remarks: Record<string, string[]> =
    wording.remarks[vocabulary === 'vehicle' ? 'vehicle' : 'goods']
  return random.pick(remarks[grade] ?? [''])
}

const CLAUSE_SHARE = 0.6
const NO_FACTS = { year: 0, size: '' }

/**
 * A few sentences about a lot, then clauses. Federal sellers open with the
 * words of the condition code.
 */
export function describe(random: Random, lot: DemoLot) {
  const { source, profile, grade, pieces, place } = lot
  const isFederal = source.source === 'gsa' && grade !== null
  const first = isFederal
    ? `This lot is in ${grade} condition.`
    : stateOf(random, lot)
  const sentences = [first]
  if (pieces > 1 && random.chance(0.5))
    sentences.push(`Contains ${pieces} EA, sold together.`)
  if (random.chance(0.3))
    sentences.push(`Located in ${place.city}, ${place.state}.`)
  // Real descriptions end in clauses of the same subjects, whose words
  // (forklift, truck, desk) are not the lot's.
  for (const clauses of wording.clauses[
    profile.vocabulary === 'property' ? 'property' : 'goods'
  ])
    if (random.chance(CLAUSE_SHARE))
      sentences.push(fillTemplate(random.pick(clauses), random, NO_FACTS))
  return sentences.join(' ')
}

function stateOf(random: Random, { profile, grade }: DemoLot) {
  if (grade === null) return random.pick(wording.states.property)
  const states: Record<string, string[]> =
    wording.states[profile.vocabulary === 'vehicle' ? 'vehicle' : 'goods']
  return random.pick(states[grade] ?? [])
}
