import { distance } from 'fastest-levenshtein'
import vehicleMakes from '../../../data/vehicle-makes.json' with {
  type: 'json',
}
import { patternOf } from '../pattern.ts'
import { titleModelYear } from './titleWords.ts'

type Model = ReturnType<typeof modelOf>

const MAKES: Record<string, { also: string[]; models: string }> =
  vehicleMakes.makes

const MAKE_BY_WORD = new Map(
  Object.entries(MAKES).flatMap(([make, { also }]) =>
    [make, ...also].map(name => [name, make] as const),
  ),
)

/** The makes in a fixed order: the index stores a make as its position. */
export const VEHICLE_MAKES = Object.keys(MAKES)

/** The first vehicle make in a list of title words, or null. */
export function vehicleMake(words: readonly string[]): string | null {
  const makes = words.map(word => MAKE_BY_WORD.get(word))
  return makes.find(Boolean) ?? null
}

const MODELS = Object.entries(MAKES).flatMap(([make, { models }]) =>
  models
    .split(', ')
    .flatMap(name => (name === '' ? [] : [modelOf(make, name)])),
)
const MODELS_OF = new Map(
  VEHICLE_MAKES.map(make => [
    make,
    MODELS.filter(model => model.make === make),
  ]),
)

/**
 * Model names that are unique enough to imply the make: a Silverado is a
 * Chevrolet.
 */
const UNIQUE_MODELS = MODELS.filter(({ name }) =>
  /^(?:silverado.*|tahoe|suburban|trailblazer|f-[1-8]50|crown-victoria|crown-vic|econoline|durango|impala|grand-caravan|promaster|ram-[1-5]500|grand-cherokee|camry|corolla|tacoma|tundra|4runner|altima|sentra|yukon|savana|escalade|cascadia|durastar|jetta|elantra|sonata|rzr|sportsman)$/.test(
    name,
  ),
)

/** One search for all of them: most titles have none. */
const UNIQUE_MODEL = patternOf(
  {},
  ...UNIQUE_MODELS.map(({ pattern }) => pattern),
)

/**
 * A two-digit year, marked by an apostrophe: "'08 Chevy", "08' Chevy". "16'
 * boat", "24' GMC box truck" and "80' lift" are lengths.
 */
const SHORT_YEAR =
  /(?:^|\s)(?:['’‘`](\d{2})|((?:0\d|[89]\d(?!.{1,60}\b(?:boom|crane|jlg|genie|(?:man)?lift)\b)|[12]\d(?=.\s(?:chev|dodge|ford|gmc|honda|jeep|ram|toyota)\w*\s(?!(?:.{0,40}\s)?(?:box|bus|flatbed|stake|truck|van)\b))))['’‘`])(?=\s)/

const MODEL_NUMBER = /^(?:[a-z]{1,4}-?\d{1,5}|\d{4})[a-z]{0,3}$/
const NO_MODEL =
  /^(?:(?:19|20)\d\d|\d+(?:dr|wd|hp|gal|ft|in|kw|lb|cc|pax|ton)|v[468]|s\d{5,})$/

/**
 * Makes of two words are joined before reading. That of a boat's outboard motor
 * is none of the boat: "Whaler w/ twin Mercury 150s". A mini bike is no MINI.
 */
const RESPELT =
  /\b(harley)[\s-]+davidson\b|\b(mercedes)[\s-]+benz\b|\bw(?:\/|ith)\s?(?:twin\s|\d+\s?hp\s)?(?:honda|mercury|suzuki|yamaha)\b|\bmini(?=[\s-]+(?:bikes?|bus(?:es)?|choppers?|cycles?)\b)/gi

/** Shorter makes are not matched with misspellings. */
const LEAST_LETTERS = 6
const LONG_MAKES = VEHICLE_MAKES.filter(make => make.length >= LEAST_LETTERS)

/**
 * Reads make, model and model year of a vehicle from a title ("2012 FORD F-150
 * SUPERCREW 4X4", "INTL 4300", "'08 Chevy Tahoe"); null for what the title does
 * not say. Models look like `f-150`. It does not decide whether the lot is a
 * vehicle; the category does.
 * @param latestModelYear next calendar year, where known.
 */
export function vehicleIn(title: string, latestModelYear = 2099) {
  const text = title.toLowerCase().replace(RESPELT, '$1$2')
  const words = text.match(/[a-z]+/g) ?? []
  const year =
    titleModelYear(title, latestModelYear) ?? shortYear(text, latestModelYear)
  const make = vehicleMake(words) ?? (year === null ? null : misspelt(words))
  if (make !== null)
    return {
      make,
      model: modelIn(text, MODELS_OF.get(make)!)?.name ?? numberAfterMake(text),
      year,
    }
  const unique = UNIQUE_MODEL.test(text) ? modelIn(text, UNIQUE_MODELS) : null
  return { make: unique?.make ?? null, model: unique?.name ?? null, year }
}

/**
 * A text without the model of a make that it names: "dodge charger 4 doors" is
 * "dodge  4 doors"; null where it names none.
 */
export function withoutModel(text: string, make: string) {
  const lower = text.toLowerCase()
  const model = modelIn(lower, MODELS_OF.get(make)!)
  return model && lower.replace(model.pattern, ' ')
}

function modelOf(make: string, name: string) {
  const pattern = name.replaceAll(' ', '(?:[\\s-]|\\s?&\\s?|\\sand\\s)?')
  const begin = /^\d+$/.test(name) ? '(?<![\\w#$.,-])' : '(?<![a-z\\d])'
  return {
    make,
    name: name.replaceAll(' ', '-'),
    pattern: new RegExp(`${begin}${pattern}(?:hd|sd|xl|s)?(?![a-z\\d])`),
  }
}

function modelIn(text: string, models: readonly Model[]) {
  return models.find(({ pattern }) => pattern.test(text)) ?? null
}

/**
 * A model that is a number is recognized by its place after the make:
 * "International 1754", "Chevrolet S-10".
 */
function numberAfterMake(text: string) {
  const words = text.split(/[\s,()/]+/)
  const make = words.findIndex(word => vehicleMake([word]) !== null)
  const near = make < 0 ? [] : words.slice(make + 1, make + 3)
  return (
    near.find(word => MODEL_NUMBER.test(word) && !NO_MODEL.test(word)) ?? null
  )
}

function shortYear(text: string, latestModelYear: number) {
  const [, before, after] = SHORT_YEAR.exec(text) ?? []
  const two = before ?? after
  if (two === undefined) return null
  const year = 2000 + Number(two)
  return year <= Math.min(latestModelYear, 2049) ? year : year - 100
}

function misspelt(words: readonly string[]) {
  const long = words.filter(word => word.length >= LEAST_LETTERS - 1)
  const [make = null] = long.flatMap(
    word => LONG_MAKES.find(known => isNear(word, known)) ?? [],
  )
  return make
}

/**
 * At most one letter wrong, missing or extra; two from eight letters on,
 * because two swapped letters count as two.
 */
function isNear(word: string, make: string) {
  if (word[0] !== make[0] || Math.abs(word.length - make.length) > 2)
    return false
  return distance(word, make) <= (make.length >= 8 ? 2 : 1)
}
