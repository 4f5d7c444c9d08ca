import words from '../../../data/category-words.json' with { type: 'json' }
import type { Schemas } from '../../contract/types.ts'
import { singular, titleModelYear } from './titleWords.ts'
import { vehicleMake } from './vehicle.ts'

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

/** Chooses a category for a lot whose feed names none: by its title, else by the start of its description, else `other`. */
export function classifyCategory(title: string, description: string | null = null): Category {
  return byWords(title) ?? (description ? byWords(description.slice(0, DESCRIPTION_READ)) : null) ?? 'other'
}

/** The category whose prices apply to a lot: its own, except that `other` is classified by the title. */
export function pricedAs(category: Category, title: string): Category {
  return category === 'other' ? classifyCategory(title) : category
}

/** Characters of a description that are read. Later text covers pick-up and payment, and names trucks and offices that are not for sale. */
const DESCRIPTION_READ = 200

const HOME =
  /\d\s*(?:br|bd|bdrm|bed(?:room)?s?)\b\W{0,4}(?:and\s+)?[\d.]+\s*(?:ba|bath|bathrooms?|baths)\b|\b(?:sq\.? ?ft|square foot) (?:home|house)\b/i

/** What follows one of these is an accessory or a remark: "toner for printer", "truck w/ toolbox", "tractor (needs tires)". */
const BESIDE =
  /\s(?:for|with|w|including|includes?|incl|from|used (?:in|on|by|as|with)|consisting of|containing|contains)\b[\s/.]|\sw\/|[({[]|\s[-–—]\s/i
/** "9 meter", "4-door": a size, not a thing. "7 meter boat" stays, because it names a Navy boat. */
const MEASURE =
  /\b\d+(?:\.\d+)?[\s-]*(?:meters?(?!\s+boat)|doors?|drawers?|wheels?|gears?|nuts?|bits?|ring|rings|lights?)\b/gi
const CONJUNCTION = /[,:;]|&|\/|\+|\band\b|\bor\b/i

const ENGINE = /\b(?:engine|motor)s?\b/i

/** A vehicle make does not make these a vehicle: "Ford tractor", "Volvo excavator". */
const OF_ANY_MAKE: readonly Category[] = ['heavy-equipment', 'real-estate', 'military-surplus']

/** Makes that also name something else: a Honda generator, a Hyundai monitor, a Lincoln welder, a mini desktop. */
const MAKES_OF_MORE = new Set(words.makesOfMore)

/** Things that keep their category in a field: a hospital's van is a vehicle, an army's fork lift is heavy equipment. */
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

/** The part before a comma or an "and" names the thing, and its last word decides. Any word can name the field. */
function byPhrase(phrase: string): Category | null {
  const parts = phrase.split(CONJUNCTION).map(plainWords)
  const meanings = parts.map(meaningsOf)
  const all = meanings.flat()
  const thing = lastThing(meaningsOf(inverted(phrase, parts))) ?? firstThing(meanings)
  const field = all.findLast(namesField)?.category ?? null
  const isVehicle = isOfMake(phrase, thing)
  if (thing === null) return isVehicle && !field ? 'vehicles' : field
  if (isVehicle && !OF_ANY_MAKE.includes(thing)) return 'vehicles'
  return field && !UNCHANGED_BY[field]?.includes(thing) ? field : thing
}

/** "2016 Jeep Cherokee, 4 doors", "Mercedes diesel engine": a vehicle make with a model year or an engine. */
function isOfMake(phrase: string, thing: Category | null): boolean {
  const make = vehicleMake(phrase.toLowerCase().match(/[a-z]+/g) ?? [])
  if (make === null || (thing !== null && MAKES_OF_MORE.has(make))) return false
  return ENGINE.test(phrase) || titleModelYear(phrase) !== null
}

/** A medical thing makes the furniture around it medical too: an ultrasound cart, a blood draw chair. */
function namesField({ kind, category }: Meaning): boolean {
  return kind === 'field' || (kind === 'thing' && category === 'medical-scientific')
}

/** Turns "SAW, BAND" into band saw; empty for any other form. */
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

/** What a word or phrase of a title means: what the thing is, its field, or only a hint. */
interface Meaning {
  category: Category
  kind: 'thing' | 'field' | 'hint'
}

/** Words in the longest phrase. */
const LONGEST_PHRASE = 4

/** Word parts used only in medicine and laboratories. */
const MEDICAL_WORD =
  /^(?:ortho(?!photo)|cardi[oa]|electrosurg|electrocard|neuro|ophthalm|hemato|haemato|histo[lc]|patholog|mammo|steriliz|defib|tonom|audiomet|spectro|chromato|cytom|cytospin|biopsy|endosc|laparo|arthro|gynec|urolog|dermat|pediatr|psych|microtom|electrophor|immuno|microbio|prosthe|rehab|podiat|obstetr|mammog|angio|bronch|colonosc|nasal|pharma|ultracentri|disinfect|photomet|fluoromet|optometr)|(?:scopy|[a-z]{3}scope|(?<!kilo|centi|milli|para|peri|dia)(?<=[a-z]{3})meter|ectomy|oscopic|otomy|therapy|therapeutic|spectrometer|photometer|cytometer|ograph(?<!phonograph|photograph)|dialysis)$/

const MEDICAL: Meaning = { category: 'medical-scientific', kind: 'field' }

/**
 * The words of `data/category-words.json`, by their letters and digits. `things` name what is sold; a longer phrase wins over
 * the words in it, so exceptions are phrases: a bus bar is not a bus. `fields` decide whatever the thing is: a surgical table
 * is medical. `hints` count when nothing else in a title is known.
 */
const LEXICON = new Map<string, Meaning>([
  ...entriesOf('hint', words.hints),
  ...entriesOf('thing', words.things),
  ...entriesOf('field', words.fields),
])

/** The words of a text in lower case: letters and digits only, each in the singular. */
function plainWords(text: string): string[] {
  return (
    text
      .toLowerCase()
      .replace(/['’]/g, '')
      .match(/[a-z0-9]+/g) ?? []
  ).map(singular)
}

/**
 * The meanings in a list of words, left to right. The longest phrase at each place counts. Phrases are compared without
 * spaces, so "work bench" and "workbench" are the same.
 */
function meaningsOf(words: readonly string[]): Meaning[] {
  const meanings: Meaning[] = []
  for (let at = 0; at < words.length; ) {
    const [meaning, length] = longestAt(words, at)
    if (meaning) meanings.push(meaning)
    at += length
  }
  return meanings
}

function longestAt(words: readonly string[], at: number): [Meaning | null, number] {
  let found: Meaning | null = null
  let length = 1
  let key = ''
  for (let taken = 1; taken <= LONGEST_PHRASE && at + taken <= words.length; taken++) {
    key += words[at + taken - 1]!
    const meaning = LEXICON.get(key)
    if (meaning) [found, length] = [meaning, taken]
  }
  if (!found && MEDICAL_WORD.test(words[at]!)) found = MEDICAL
  return [found, length]
}

function entriesOf(kind: Meaning['kind'], lists: Record<string, string[]>): [string, Meaning][] {
  return Object.entries(lists).flatMap(([category, phrases]) => {
    const meaning: Meaning = { category: category as Category, kind }
    return phrases.map((phrase): [string, Meaning] => [plainWords(phrase).join(''), meaning])
  })
}
