import words from '../../../data/category-words.json' with { type: 'json' }
import labels from '../../../data/labels.json' with { type: 'json' }
import titleWords from '../../../data/title-words.json' with { type: 'json' }
import type { Schemas } from '../../contract/types.ts'
import { patternOf } from '../pattern.ts'
import {
  type Meaning,
  meaningAtEnd,
  meaningsOf,
  plainWords,
} from './lexicon.ts'
import { withoutNotices } from './notices.ts'
import { comparableWord, singular, titleModelYear } from './titleWords.ts'
import { vehicleIn, withoutModel } from './vehicle.ts'

export type Category = Schemas['Category']

/** The ten categories of a lot, in the order of the contract. */
export const CATEGORIES = Object.keys(labels.categories) as Category[]

/** Whether a feed's word is one of the ten. */
export function isCategory(word: string): word is Category {
  return (CATEGORIES as readonly string[]).includes(word)
}

/**
 * Chooses a category for a lot whose feed names none: by its title, else by the
 * start of its description, else `other`.
 */
export function classifyCategory(
  title: string,
  description: string | null = null,
): Category {
  return (
    byWords(withoutNotices(title)) ??
    (description ? byWords(description.slice(0, DESCRIPTION_READ)) : null) ??
    'other'
  )
}

/**
 * The category whose prices apply to a lot or sale: what its title says,
 * because the labels of sources made estimates worse. Parts and things for
 * vehicles are priced as `other`, not as vehicles. "Military" says who owned a
 * thing, not what it is, so there the label decides, as for a title without a
 * known word.
 */
export function pricedAs(category: Category, wholeTitle: string): Category {
  const title = withoutNotices(wholeTitle)
  if (namesPart(title)) return 'other'
  const read = byWords(title)
  if (read === 'vehicles' && !namesVehicle(title)) return 'other'
  return read === null || read === 'military-surplus' ? category : read
}

/**
 * Characters of a description that are read. Later text covers pick-up and
 * payment, and names trucks and offices that are not for sale.
 */
const DESCRIPTION_READ = 200

const HOME =
  /\d\s*(?:br|bd|bdrm|bed(?:room)?s?)\b\W{0,4}(?:and\s+)?[\d.]+\s*(?:ba|bath|bathrooms?|baths)\b|\b(?:sq\.? ?ft|square foot) (?:home|house)\b/i

/**
 * What follows one of these is an accessory or a remark: "toner for printer",
 * "truck w/ toolbox", "tractor needs tires".
 */
const BESIDE =
  /\s(?:needs?|no(?!\W*\d)|for|with|w|on|including|includes?|incl|from|used (?:in|on|by|as|with)|consisting of|containing|contains)\b[\s/.]|\sw\/|[({[]|\s[-–—]\s/i
/**
 * "9 meter", "4-door": a size, not a thing. "7 meter boat" stays, because it
 * names a Navy boat, and "3 wheel chairs" are so many.
 */
const MEASURE = patternOf(
  { NAME: titleWords.namesLikeUnits },
  /(?<![a-z]-)\b\d{1,3}(?:\.\d+)?(?![\s-]+<NAME>)(?:["”]|[\s-]*(?:meters?(?!\s+boat)|(?:in(?:ch(?:es)?)?|ft|feet|foot)\W*$|doors?|drawers?|wheels?|gears?|nuts?|bits?|ring|rings|lights?)\b)/gi,
)
const CONJUNCTION = /[,:;]|&|\/|\+|\band\b|\bor\b/i

const ENGINE = /\b(?:engine|motor)s?\b/i

/**
 * A vehicle make does not make these a vehicle: "Ford tractor", "Volvo
 * excavator".
 */
const OF_ANY_MAKE: readonly Category[] = [
  'heavy-equipment',
  'real-estate',
  'military-surplus',
]

/**
 * Things that keep their category in a field: a hospital's van is a vehicle, an
 * army's fork lift is heavy equipment.
 */
const UNCHANGED_BY: Partial<Record<Category, readonly Category[]>> = {
  'medical-scientific': ['vehicles', 'real-estate'],
  'military-surplus': ['heavy-equipment', 'real-estate'],
  other: ['vehicles', 'heavy-equipment', 'real-estate', 'electronics'],
}

/**
 * The category of the thing that a title names, or null where only a brand or a
 * material hints at one.
 */
export function thingNamed(title: string): Category | null {
  for (const phrase of phrasesOf(title)) {
    const category = byPhrase(phrase)
    if (category) return category
  }
  return null
}

const ALL_PARTS = [...words.parts, ...words.partsOfMakes]

/**
 * The last words of all parts, and "for". Most titles have none of them; this
 * test takes a hundredth of the time.
 */
const MAY_NAME_PART = patternOf(
  {
    PART: ALL_PARTS.map(part =>
      singular(part.split(' ').at(-1)!).replace(/y$/, ''),
    ),
  },
  /<PART>|\sfor\s/i,
)

/**
 * After a model year, a part between commas, an engine or transmission of a
 * kind, and a part with a fault: they equip a vehicle.
 */
const REMARK = patternOf(
  { PART: ALL_PARTS, YEAR: '(?<=(?:19|20)\\d\\d\\b.{0,99})' },
  /(?:\s+[-–]\s+|\s*[(,;])<YEAR>[^,;(]{0,60}?(?<!fire )\b(?:<PART>|trans|batter(?:y|ie)|warning)s?\b(?! (?:coach|grader|home|loader))[^,;(]*/gi,
  /\s<YEAR>(?:(?:\d\.\d\s?l(?:iter)?|v-?\d+|\d+[\s-]?(?:cyl\w*|speed)|auto(?:matic)?|manual|gas|diesel|turbo|ecoboost|hemi|duramax|power\s?stroke)\s+){1,4}(?:engine|motor|trans(?:mission)?)\b/,
  /\s<YEAR>(?:bad|bent|blown|broken|burnt|cracked|damaged|dead|defective|dented|failed|failing|faulty|flat|grinding|knocking|leaking|locked[- ]up|misfiring|missing|no|noisy|overheating|rough(?! terrain)|rusted|scratched|seized|slipping|smoking|ticking|torn|weak|whining|without|worn|(?:new|rebuilt)(?=\s(?:[\w.-]+\s)?(?:engine|motor|trans)))\s(?:[\w.-]+\s){0,2}?<PART>s?\b.*$/,
  /\s<YEAR>(?:snow[ -]?)plows?\W*$/,
)

/**
 * The title of a whole vehicle without its equipment and faults: "2018 Ford
 * F-150 V8 engine, cracked windshield" is a 2018 Ford F-150.
 */
export function withoutRemarks(title: string) {
  const named = title.replace(REMARK, '')
  return named !== title && vehicleIn(named).model ? named : title
}

/**
 * Whether a title names a part of a vehicle or machine, not a whole one: "F-150
 * wheels", "exhaust for Tahoe", "kit for Jeep". The part must end the name:
 * "2020 Kia Rio windshield cracked" is a car.
 */
export function namesPart(title: string): boolean {
  if (!MAY_NAME_PART.test(title)) return false
  const [first = '', ...rest] = phrasesOf(withoutRemarks(title)).filter(
    phrase => /[a-z]/i.test(phrase),
  )
  const parts = first.split(CONJUNCTION).map(plainWords)
  const { make, model } = vehicleIn(first)
  const named = inverted(first, parts)
  if (named.length === 0)
    named.push(
      ...(parts.find(part => lastThing(meaningsOf(part))) ?? parts[0]!),
    )
  const thing = meaningAtEnd(named)
  // An outboard engine is a whole one.
  if (thing && !thing.isPart && thing.category === 'vehicles') return false
  // Parts only when they follow a vehicle's make: "Ford F-150 rear seats".
  if (make && words.partsOfMakes.includes(named.at(-1) ?? ''))
    return !ENGINE.test(first) || model === null
  if (thing && (thing.isPart || VEHICLES.includes(thing.category)))
    return thing.isPart
  const isForAnother = !make && /^[^a-z]*[\w\s-]+?\sfor\s/i.test(title)
  return isForAnother && VEHICLES.includes(byWords(rest.join(' ')) ?? 'other')
}

/**
 * Whether a title of vehicles has a make, a model year, or names one last:
 * "motorcycle wheel holder" and "automotive jack" do not.
 */
function namesVehicle(title: string) {
  const { make, year } = vehicleIn(title)
  if (make ?? year) return true
  const [named] = namingParts(title).flatMap(words =>
    meaningsOf(words).slice(-1),
  )
  return named !== undefined && !named.isPart
}

export const VEHICLES: readonly Category[] = ['vehicles', 'heavy-equipment']

/**
 * The words of a title, part by part: first the part that names the thing, last
 * the accessories.
 */
export function namingParts(title: string) {
  return phrasesOf(title).flatMap(phrase => {
    const parts = phrase.split(CONJUNCTION).map(plainWords)
    return [inverted(phrase, parts), ...parts]
  })
}

const MEASURED = /^(?:lbs|pound|ton|capacity)$/

/**
 * The last word, in the singular, of the part of a title that names the thing;
 * null for none of letters alone.
 */
export function headNoun(title: string): string | null {
  const isNoun = (word: string) =>
    /^[a-z]{3,}$/.test(word) &&
    !MEASURED.test(word) &&
    comparableWord(word) !== null
  const [noun = null] = namingParts(title).flatMap(
    words => words.findLast(isNoun) ?? [],
  )
  return noun
}

function phrasesOf(text: string) {
  return text.replace(MEASURE, ' ').split(BESIDE)
}

function byWords(text: string) {
  if (HOME.test(text)) return 'real-estate'
  return (
    thingNamed(text) ??
    meaningsOf(plainWords(text)).find(({ kind }) => kind === 'hint')
      ?.category ??
    null
  )
}

/**
 * The part before a comma or an "and" names the thing, and its last word
 * decides. Any word can name the field.
 */
function byPhrase(text: string) {
  const { make } = vehicleIn(text)
  // The charger of a Dodge Charger is no thing beside it.
  const beside = make && withoutModel(text, make)
  const phrase = beside ?? text
  const parts = phrase.split(CONJUNCTION).map(plainWords)
  const meanings = parts.map(meaningsOf)
  const all = meanings.flat()
  const thing =
    lastThing(meaningsOf(inverted(phrase, parts))) ??
    meanings.map(lastThing).find(Boolean) ??
    null
  const field = all.findLast(namesField)?.category ?? null
  const isAlone = beside !== null && thing === null
  const isVehicle = make !== null && (isAlone || isOfMake(make, text, thing))
  if (thing === null) return isVehicle && !field ? 'vehicles' : field
  if (isVehicle && !OF_ANY_MAKE.includes(thing)) return 'vehicles'
  return field && !UNCHANGED_BY[field]?.includes(thing) ? field : thing
}

/**
 * "2016 Jeep Cherokee, 4 doors", "Mercedes diesel engine": a vehicle make with
 * a model year or an engine.
 */
function isOfMake(make: string, phrase: string, thing: Category | null) {
  // A Honda generator, a Hyundai monitor, a Lincoln welder and a mini desktop
  // are no vehicles.
  if (thing !== null && words.makesOfMore.includes(make)) return false
  return ENGINE.test(phrase) || titleModelYear(phrase) !== null
}

/**
 * A medical thing makes the furniture around it medical too: an ultrasound
 * cart, a blood draw chair.
 */
function namesField({ kind, category }: Meaning) {
  return (
    kind === 'field' || (kind === 'thing' && category === 'medical-scientific')
  )
}

/** Turns "SAW, BAND" into band saw; empty for any other form. */
function inverted(
  phrase: string,
  [thing = [], kind = [], ...more]: string[][],
) {
  return thing.length === 1 && more.length === 0 && phrase.includes(',')
    ? [...kind, ...thing]
    : []
}

function lastThing(meanings: readonly Meaning[]) {
  return meanings.findLast(({ kind }) => kind === 'thing')?.category ?? null
}
