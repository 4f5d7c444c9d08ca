import names from '../../../data/states.json' with { type: 'json' }
import { STATES } from '../feeds/states.ts'
import { patternOf } from '../pattern.ts'

/** A city, with a ZIP code near its middle and how many it has. */
export interface City {
  city: string
  state: string
  zip: string
  zips: number
}

export interface Places {
  /**
   * The cities with a name, one for each state that has it; the one with the
   * most ZIP codes first.
   */
  findCities(name: string): City[]
  findZip(zip: string): object | null
}

/**
 * A city is meant without its state where it has so many times the ZIP codes of
 * the next one: Portland, but not Springfield.
 */
const CLEAR = 3
/**
 * A city of several words, or at the end, is as sure without its state as one
 * with it that has so many times less ZIP codes.
 */
const LARGE = 10
/**
 * "In" stands before many things ("in line"), so the city after it must have so
 * many ZIP codes.
 */
const LEAST_ZIPS = 3

const CODES = new Map(
  Object.entries(names).map(([name, code]) => [name.toLowerCase(), code]),
)
/** State codes that are words in small letters. */
const WORDS = /^(?:al|as|co|de|hi|id|in|la|ma|me|mt|ok|or|pa)$/
export const STATE = patternOf(
  { STATE: [...CODES.keys(), 'd\\.c\\.', ...STATES] },
  /<STATE>(?![\w-])/,
).source
const STATE_AFTER = patternOf({ STATE }, /^(?:, ?| (?!or |in ))(<STATE>)/i)

/** The code of a state by its name or code; undefined for any other word. */
export function stateCode(name: string): string | undefined {
  const [plain, small] = [name.replaceAll('.', ''), name.toLowerCase()]
  const code = plain.toUpperCase()
  return (
    CODES.get(small) ??
    (STATES.has(code) && !WORDS.test(plain) ? code : undefined)
  )
}

/** A place that a text begins with. */
export interface PlaceInText {
  /** By name, as a search takes them. */
  filters: Record<string, string>
  /** How many words name it. */
  length: number
  /** The more, the surer: see `placeAt`. */
  sureness: number
}

/**
 * The place that a text begins with: the longest name of a city or state, or a
 * ZIP code.
 * @param isIn whether a state is meant before a city of the same name, as in
 * "in New York".
 * @returns null without one. `zip` is the name of the city where several states
 * have it and none is clearly meant. `sureness` is the number of ZIP codes of a
 * city that stands with its state, infinity after a comma, a tenth where it
 * stands alone, else 0.
 */
export function placeAt(
  text: string,
  { findCities, findZip }: Places,
  isIn = false,
): PlaceInText | null {
  const read = (
    filters: Record<string, string>,
    length: number,
    sureness = 0,
  ) => ({
    filters,
    length,
    sureness,
  })
  const [zip = ''] = /^\d{5}(?![\w,])/.exec(text) ?? []
  if (findZip(zip)) return read({ zip }, zip.length)
  const [words = ''] = /^[\p{L}.'-]+(?: [\p{L}.'-]+){0,3}/u.exec(text) ?? []
  for (let name = words; name !== ''; name = name.replace(/ ?\S+$/, '')) {
    const { length } = name
    const state = stateCode(name)
    if (state && isIn) return read({ state }, length)
    const cities = findCities(name)
    const [more = '', named = ''] = STATE_AFTER.exec(text.slice(length)) ?? []
    const meant = cities.find(
      city => city.state === stateCode(named.toUpperCase()),
    )
    if (meant)
      return read(
        { zip: meant.zip },
        length + more.length,
        more.startsWith(',') ? Infinity : meant.zips,
      )
    const [first, next] = cities
    if (first && (!isIn || first.zips >= LEAST_ZIPS)) {
      const isClear = first.zips >= CLEAR * (next?.zips ?? 0)
      const isAlone = name.includes(' ') || text.slice(length).trim() === ''
      return read(
        { zip: isClear ? first.zip : name },
        length,
        isClear && isAlone ? first.zips / LARGE : 0,
      )
    }
    if (state) return read({ state }, length)
  }
  return null
}
