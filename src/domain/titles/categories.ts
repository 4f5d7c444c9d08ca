import type { Schemas } from '../../contract/types.ts'
import { type Meaning, meaningsOf, plainWords } from '../valuation/categoriesLexicon.ts'
import { titleModelYear } from './titleWords.ts'
import { vehicleMake } from './vehicleMakes.ts'

export type Category = Schemas['Category']

/** The ten categories of a lot, in the order of the contract. */
export const CATEGORIES = [
  'vehicles',
  'heavy-equipment',
  'electronics',
  'office-furniture',
  'tools-industrial',
  'medical-scientific',
  'military-surplus',
  'real-estate',
  'seized-property',
  'other',
] as const satisfies readonly Category[]

/** Whether a feed's word is one of the ten. */
export function isCategory(word: string): word is Category {
  return (CATEGORIES as readonly string[]).includes(word)
}

/**
 * The category of a lot whose feed names none, by the words of its title, else by those of its description's beginning,
 * else `other`.
 */
export function classifyCategory(title: string, description: string | null = null): Category {
  return byWords(title) ?? (description ? byWords(description.slice(0, DESCRIPTION_READ)) : null) ?? 'other'
}

/** The category whose prices speak for a lot: its own, but what a feed calls `other` is looked at again by its title. */
export function pricedAs(category: Category, title: string): Category {
  return category === 'other' ? classifyCategory(title) : category
}

/** Further down a description is about pick-up and payment: trucks, offices and buildings that are not for sale. */
const DESCRIPTION_READ = 200

const HOME =
  /\d\s*(?:br|bd|bdrm|bed(?:room)?s?)\b\W{0,4}(?:and\s+)?[\d.]+\s*(?:ba|bath|bathrooms?|baths)\b|\b(?:sq\.? ?ft|square foot) (?:home|house)\b/i

/** What follows one of these is beside the thing or about it: "toner for printer", "truck w/ toolbox", "tractor (needs tires)". */
const BESIDE =
  /\s(?:for|with|w|including|includes?|incl|from|used (?:in|on|by|as|with)|consisting of|containing|contains)\b[\s/.]|\sw\/|[({[]|\s[-–—]\s/i
/** "9 meter", "4-door": a size is no thing. A meter's length stays where it tells a boat of the Navy. */
const MEASURE =
  /\b\d+(?:\.\d+)?[\s-]*(?:meters?(?!\s+boat)|doors?|drawers?|wheels?|gears?|nuts?|bits?|ring|rings|lights?)\b/gi
const CONJUNCTION = /[,:;]|&|\/|\+|\band\b|\bor\b/i

const ENGINE = /\b(?:engine|motor)s?\b/i

/** A make is no word about the thing when a lot is one of these: "Ford tractor", "Volvo excavator". */
const OF_ANY_MAKE: readonly Category[] = ['heavy-equipment', 'real-estate', 'military-surplus']

/** Makes that also make or name something else: a Honda generator, a Hyundai monitor, a Lincoln welder, a mini desktop. */
const MAKES_OF_MORE = new Set([
  'genesis',
  'honda',
  'hyundai',
  'international',
  'kawasaki',
  'lincoln',
  'mack',
  'mercury',
  'mini',
  'mitsubishi',
  'saturn',
  'suzuki',
  'volvo',
  'yamaha',
])

/** What a field leaves as it is: a hospital's van is a vehicle, an army's fork lift is heavy equipment. */
const UNCHANGED_BY: Partial<Record<Category, readonly Category[]>> = {
  'medical-scientific': ['vehicles', 'real-estate'],
  'military-surplus': ['heavy-equipment', 'real-estate'],
  other: ['vehicles', 'heavy-equipment', 'real-estate', 'electronics'],
}

function byWords(text: string): Category | null {
  if (HOME.test(text)) return 'real-estate'
  const phrases = text.replace(MEASURE, ' ').split(BESIDE)
  for (const phrase of phrases) {
    const category = byPhrase(phrase)
    if (category) return category
  }
  return meaningsOf(plainWords(text)).find(({ kind }) => kind === 'hint')?.category ?? null
}

/** The part before a comma or an "and" names the thing, and in English its last word does; any word tells the field. */
function byPhrase(phrase: string): Category | null {
  const parts = phrase.split(CONJUNCTION).map(plainWords)
  const meanings = parts.map(meaningsOf)
  const all = meanings.flat()
  const thing = lastThing(meaningsOf(inverted(phrase, parts))) ?? firstThing(meanings)
  const field = all.findLast(tellsField)?.category ?? null
  const isVehicle = isOfMake(phrase, thing)
  if (thing === null) return isVehicle && !field ? 'vehicles' : field
  if (isVehicle && !OF_ANY_MAKE.includes(thing)) return 'vehicles'
  return field && !UNCHANGED_BY[field]?.includes(thing) ? field : thing
}

/** "2016 Jeep Cherokee, 4 doors", "Mercedes diesel engine": a make of vehicles, and a model year or an engine beside it. */
function isOfMake(phrase: string, thing: Category | null): boolean {
  const make = vehicleMake(phrase.toLowerCase().match(/[a-z]+/g) ?? [])
  if (make === null || (thing !== null && MAKES_OF_MORE.has(make))) return false
  return ENGINE.test(phrase) || titleModelYear(phrase) !== null
}

/** What is medical makes what it stands on medical: an ultrasound cart, a blood draw chair. */
function tellsField({ kind, category }: Meaning): boolean {
  return kind === 'field' || (kind === 'thing' && category === 'medical-scientific')
}

/** "SAW, BAND" is a band saw. */
function inverted(phrase: string, [thing = [], kind = [], ...more]: string[][]): string[] {
  return thing.length === 1 && more.length === 0 && phrase.includes(',') ? [...kind, ...thing] : []
}

function firstThing(parts: readonly Meaning[][]): Category | null {
  for (const part of parts) {
    const thing = lastThing(part)
    if (thing) return thing
  }
  return null
}

function lastThing(meanings: readonly Meaning[]): Category | null {
  return meanings.findLast(({ kind }) => kind === 'thing')?.category ?? null
}
