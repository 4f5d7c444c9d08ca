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

/** Names of products in which a price, a place or a time could be seen. */
const ONLY_WORDS = [
  ...[
    'Ford Ohio Works',
    '5 ton',
    '1/2 ton',
    '2500 watt',
    'under desk',
    'new holland',
    'near mint',
    'Dallas cowboys',
  ],
  ...[
    'dell 2500-3500',
    'iphone 12 pro max 256',
    '4k monitor',
    '$20 gold coin',
    '10k gold ring',
    'used oil',
    'CT scanner',
  ],
  ...[
    'running boards for f150',
    'texas instruments',
    'chevy colorado',
    'keystone montana',
    'SD card',
    '12 ga shotgun',
  ],
  ...[
    'desk university of texas',
    'all in one computer',
    'over the road truck',
    '3 in 1 tool',
    'FORD TRUCK OR VAN',
  ],
  ...[
    'forklift over 5000 lbs',
    'toner model 12345',
    '2012 Ford F-150',
    '"under 5000" sticker',
    'in ground pool',
  ],
]

describe('a sentence of a buyer', () => {
  it(`sets the form as a person would, for ${LEAST_RIGHT} of sixty written before the reader`, () => {
    const wrong = BUYER_SENTENCES.filter(([sentence, form]) => {
      const [is, should] = [formOf(sentence), expected(form)].map(each => Object.entries(each).sort())
      return JSON.stringify(is) !== JSON.stringify(should)
    })
    const told = wrong.map(([sentence, form]) => [sentence, formOf(sentence), expected(form)])
    expect(BUYER_SENTENCES).toHaveLength(60)
    // The way to it, and what it leaves, are read no further.
    for (const [sentence] of BUYER_SENTENCES) expect(read(read(sentence).q)).toEqual({ q: read(sentence).q })
    expect(wrong.length, JSON.stringify(told, null, 1)).toBeLessThanOrEqual(60 - LEAST_RIGHT)
  })

  it.each(ONLY_WORDS)('is none for %s', words => {
    expect(readSentence(words, { findCities, findZip })).toBeNull()
  })
})
