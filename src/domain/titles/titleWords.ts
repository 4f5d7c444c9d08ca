import words from '../../../data/title-words.json' with { type: 'json' }
import { patternOf } from '../pattern.ts'

const FILLER_WORDS = new Set(words.fillers)
const PACKING_WORDS = new Set(words.packing)
/** "Fork lift", "fork-lift" and "forklift" are one word. */
export const JOINT = patternOf({ JOINT: words.joints }, /<JOINT>/gi)
const SAME_WORD = new Map(Object.entries(words.spellings))

/**
 * "Model 2020", "lot 2014", "PN 1999": a number, not a year. "Model year 2020"
 * and "2013 step van" are years.
 */
const MODEL_YEAR = patternOf(
  { UNIT: words.units, NOUN: words.afterYear },
  /(?<!\b(?:model|mdl|series|part|type|style|lot|item|unit|room|route|contract|no|nr|pn|sn|nsn|est)[ .:#]{0,3})(?<![\d$#./-])(19[5-9]\d|20\d\d)(?![\d/]|[.-]\d|(?!\s+(?:<NOUN>\b|k-?9\b|[a-z](?:-|\/(?!\d))))\s*-?<UNIT>\b)/gi,
)

/**
 * The first model year in a title, from 1950 to `latestModelYear` (next
 * calendar year, where known), or null.
 */
export function titleModelYear(
  title: string,
  latestModelYear = 2099,
): number | null {
  // matchAll copies the expression at every call, which took three times as
  // long.
  MODEL_YEAR.lastIndex = 0
  for (
    let match = MODEL_YEAR.exec(title);
    match !== null;
    match = MODEL_YEAR.exec(title)
  ) {
    const year = Number(match[1])
    if (year <= latestModelYear) return year
  }
  return null
}

/** Things more model years apart are not compared. */
const MODEL_YEARS_APART = 4
const LESS_PER_YEAR = 0.1
const LESS_FOR_UNKNOWN = 0.2

/**
 * How similar two model years are, 0 to 1: 1 for the same or none at all, 0 for
 * more than four years apart. null is none.
 */
export function modelYearLikeness(
  year: number | null,
  other: number | null,
): number {
  if (year === null && other === null) return 1
  if (year === null || other === null) return 1 - LESS_FOR_UNKNOWN
  const apart = Math.abs(year - other)
  return apart > MODEL_YEARS_APART ? 0 : 1 - LESS_PER_YEAR * apart
}

/**
 * The singular of a regular plural: batteries → battery, boxes → box, laptops →
 * laptop.
 */
export function singular(word: string): string {
  if (!word.endsWith('s')) return word
  if (word.length > 4 && word.endsWith('ies')) return `${word.slice(0, -3)}y`
  if (word.length > 4 && /(?:sh|ch|x|ss)es$/.test(word))
    return word.slice(0, -2)
  if (word.length > 3 && /[^sui]s$/.test(word)) return word.slice(0, -1)
  return word
}

/**
 * The form of a word that titles are compared by, or null for a packing word.
 */
export function comparableWord(word: string): string | null {
  if (PACKING_WORDS.has(word) || word.startsWith('~')) return null
  const stem = singular(SAME_WORD.get(word) ?? word)
  return PACKING_WORDS.has(stem) ? null : (SAME_WORD.get(stem) ?? stem)
}

/**
 * A number that was read off a meter or a tank, or the size of an engine, names
 * no thing: "90k miles", "odometer 98,765", "6.7L".
 */
const READING =
  /\b\d[\d,.]*(?:\s?k)?\s*(?=(?:miles?|mi|hours?|hrs?|gal(?:lons?)?)\b)|\b\d[\d,.]*\s?k\b(?!-)|\b(?:odometer|mileage)(?: reading)?(?: is| of)?[\s:#=-]{0,3}\d[\d,.]*(?:\s?k\b)?|\b(?:miles|hours|hrs)\s?[:=]\s?\d[\d,.]*|\b\d\.\d\s?l(?:it(?:er|re)s?)?\b/g

/**
 * The words of a title as written: lower case, in order, each once, without
 * fillers, single characters, serial numbers and readings. One letter and the
 * number after it form one word in any spacing (F-150, F150 and F 150 are
 * `f150`). Otherwise a word ends where letters turn into digits (RAM1500 is
 * `ram`, `1500`).
 */
export function surfaceWords(title: string) {
  const text = title
    .toLowerCase()
    .replace(JOINT, '')
    .replace(READING, ' ')
    .replace(/['’`"]|(?<=(?<![\w-])\d{1,3}),(?=\d{3}(?!\d))/g, '')
    .replace(
      /\b(?:sn|s\/n|serial|vin)\b(?:\s*(?:no|number|#))?[:#.\s]*[\w-]*\d[\w-]*/g,
      ' ',
    )
    .replace(/\b(?:4wd|4 ?x ?4|four wheel drive)\b/g, ' 4x4 ')
    .replace(/\ba\/c\b/g, ' ac ')
    .replace(/\b([a-z])-(?=[a-z]{2,})/g, '$1')
    .replace(/\b([a-z])[\s-]+(?=\d)/g, '$1')
  const found: string[] = []
  for (const word of text.match(/\d+x\d+|\b[a-z]\d+|\b\d[a-z]\b|\d+|[a-z]+/g) ??
    []) {
    if (
      word.length < 2 ||
      FILLER_WORDS.has(word) ||
      /^\d{5,}$/.test(word) ||
      found.includes(word)
    )
      continue
    found.push(word)
  }
  return found
}

/**
 * The words that titles are compared by: `surfaceWords` in one spelling and
 * singular, without packing words, each once.
 */
export function titleWords(title: string): string[] {
  const stems = surfaceWords(title).map(comparableWord)
  return [...new Set(stems.filter(stem => stem !== null))]
}
