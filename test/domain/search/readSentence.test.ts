import { describe, expect, it } from 'vitest'
import { readSentence } from '../../../src/domain/search/readSentence.ts'
import { findCities, findZip } from '../../../src/infra/places/zipTables.ts'
import { BUYER_SENTENCES, type FormSetBySentence } from './buyerSentences.ts'

const HOURS = { today: '24', tomorrow: '48', '3 days': '72', 'a week': '168' }
/** So many of the sixty must be read as a person would set the form. */
const LEAST_RIGHT = 55

const read = (sentence: string) => readSentence(sentence, { findCities, findZip }) ?? { q: sentence }

/** The parameters of an address, with the city of a ZIP code instead of it where the sentence has none. */
function formOf(sentence: string) {
  const { q, zip, ...filters } = read(sentence)
  const place = zip && !sentence.includes(zip) ? findZip(zip) : null
  return {
    ...(q !== '' && { q }),
    ...filters,
    ...(place ? { near: `${place.city}, ${place.state}` } : zip && { zip }),
  }
}

function expected({ ends, ...form }: FormSetBySentence) {
  const texts = Object.entries(form).map(([name, value]) => [name, String(value)])
  return { ...Object.fromEntries(texts), ...(ends && { closing_within_hours: HOURS[ends] }) }
}

describe('a sentence of a buyer', () => {
  it(`sets the form as a person would, for ${LEAST_RIGHT} of sixty written before the reader`, () => {
    const wrong = BUYER_SENTENCES.filter(([sentence, form]) => {
      const [is, should] = [formOf(sentence), expected(form)].map(each => Object.entries(each).sort())
      return JSON.stringify(is) !== JSON.stringify(should)
    })
    const told = wrong.map(([sentence, form]) => [sentence, formOf(sentence), expected(form)])
    expect(BUYER_SENTENCES).toHaveLength(60)
    expect(wrong.length, JSON.stringify(told, null, 1)).toBeLessThanOrEqual(60 - LEAST_RIGHT)
  })
})
