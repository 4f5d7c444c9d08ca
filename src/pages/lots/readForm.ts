import synonyms from '../../../data/synonyms.json' with { type: 'json' }
import { invalidRequest } from '../../contract/errors.ts'
import { patternOf } from '../../domain/pattern.ts'
import { placeAt } from '../../domain/search/readPlace.ts'
import { trackedItemOf } from '../../domain/titles/items.ts'
import { titleWords } from '../../domain/titles/titleWords.ts'
import { findCities, findZip } from '../../infra/places/zipTables.ts'
import type { Sent } from '../kit/site.ts'
import { readSentence } from './readSentence.ts'

type Changes = Record<string, string | null>

const PLACES = { findCities, findZip }
const ZIP = /^\d{5}(-\d{4})?$/
const ASKS_FOR_PRICES = patternOf(
  { PRICES: synonyms.sentences.prices },
  /(?<![\w-])<PRICES>(?![\w-])/gi,
)
/** The contract's `maxLength` of `q`. */
const LONGEST_SENTENCE = 200

/**
 * What a person means who filled in the form of a search, as changes to
 * parameters of the API: the filters in the words, a city as a ZIP code. The
 * words stay as they are where they are the `sentence` too. So does a city that
 * nobody knows or that several states have.
 */
export function meantBy(sent: Sent): Record<string, string | null> {
  const { q, sentence, zip } = Object.fromEntries(sent)
  const isRead = q !== undefined && q !== sentence
  const { read } = (isRead && partsOf(q)) || {}
  const filters: Changes = read
    ? { ...read, q: read.q || null, sentence: q!, page: null }
    : {}
  return { ...filters, ...placeOf((filters.zip ?? zip ?? '').trim()) }
}

/**
 * The page of prices that a question for them leads to: that of the item it
 * names, or that of all; null for any other search.
 */
export function pricesAsked(sent: Sent): string | null {
  const { q = '', sentence } = Object.fromEntries(sent)
  const plain = q.trim().replace(/[?!.\s]+$/, '')
  const thing = plain.replace(ASKS_FOR_PRICES, ' ')
  if (q === sentence || thing === plain) return null
  const item = trackedItemOf(titleWords(thing).join(' '))
  return item ? `/prices/${item}` : '/prices'
}

/**
 * What of the sentence of a search is neither word nor filter; nothing where
 * every word is searched for.
 */
export function notFilteredIn(sent: Sent): string[] {
  const { q, sentence } = Object.fromEntries(sent)
  return (
    (sentence !== undefined && q !== sentence && partsOf(sentence)?.unread) ||
    []
  )
}

function partsOf(sentence: string) {
  return sentence.length > LONGEST_SENTENCE
    ? null
    : readSentence(sentence, PLACES, Date.now())
}

function placeOf(typed: string) {
  if (ZIP.test(typed)) return {}
  const [zip] = /(?<= )\d{5}(?:-\d{4})?$/.exec(typed) ?? []
  if (zip) return { zip }
  const place = placeAt(typed, PLACES)
  const isWhole =
    place?.length === typed.length && ZIP.test(place.filters.zip ?? '')
  return isWhole ? place.filters : {}
}

/** The cities of several states that a field with a place may mean. */
export function citiesMeant(sent: Sent) {
  return findCities(Object.fromEntries(sent).zip ?? '')
}

/** @throws ApiError invalid_request for a place that is no ZIP code. */
export function assertPlace(sent: Sent): void {
  const { zip } = Object.fromEntries(sent)
  if (!zip || ZIP.test(zip)) return
  const [city] = citiesMeant(sent)
  throw invalidRequest(
    city
      ? `Several states have a ${city.city}. Choose one, or add the state: "${city.city}, ${city.state}".`
      : `There is no city or ZIP code "${zip}". Write a city and its state, such as "Dallas, TX", or five digits.`,
  )
}

/** "Dallas, TX 75201" for a ZIP code whose city is known. */
export function placeOfZip(zip: string) {
  const { city, state } = findZip(zip.slice(0, 5)) ?? {}
  return city && ZIP.test(zip) ? `${city}, ${state} ${zip}` : zip
}
