import { invalidRequest } from '../../domain/errors.ts'
import { placeAt } from '../../domain/search/readPlace.ts'
import { findCities, findZip } from '../../infra/places/zipTables.ts'
import type { Sent } from '../kit/site.ts'
import { readSentence } from './readSentence.ts'

type Changes = Record<string, string | null>

const PLACES = { findCities, findZip }
const ZIP = /^\d{5}(-\d{4})?$/
/** The contract's `maxLength` of `q`. */
const LONGEST_SENTENCE = 200

/**
 * What a person means who filled in the form of a search, as changes to parameters of the API: the filters in the words, a city as a
 * ZIP code. The words stay as they are where they are the `sentence` too. So does a city that nobody knows or that several states have.
 */
export function meantBy(sent: Sent) {
  const { q, sentence, zip } = Object.fromEntries(sent)
  const isRead = q !== undefined && q !== sentence && q.length <= LONGEST_SENTENCE
  const read = isRead ? readSentence(q, PLACES, Date.now()) : null
  const filters: Changes = read ? { ...read, q: read.q || null, sentence: q!, page: null } : {}
  return { ...filters, ...placeOf((filters.zip ?? zip ?? '').trim()) }
}

function placeOf(typed: string) {
  if (ZIP.test(typed)) return {}
  const [zip] = /(?<= )\d{5}(?:-\d{4})?$/.exec(typed) ?? []
  if (zip) return { zip }
  const place = placeAt(typed, PLACES)
  const isWhole = place?.length === typed.length && ZIP.test(place.filters.zip ?? '')
  return isWhole ? place.filters : {}
}

/** The cities of several states that a field with a place may mean. */
export function citiesMeant(sent: Sent) {
  return findCities(Object.fromEntries(sent).zip ?? '')
}

/** @throws ApiError invalid_request for a place that is no ZIP code. */
export function assertPlace(sent: Sent) {
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
