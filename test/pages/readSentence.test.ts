import { describe, expect, it } from 'vitest'
import synonyms from '../../data/synonyms.json' with { type: 'json' }
import type { FilterName } from '../../src/domain/search/filters.ts'
import { findCities, findZip } from '../../src/infra/places/zipTables.ts'
import { readSentence } from '../../src/pages/lots/readSentence.ts'
import { BUYER_SENTENCES, type FormSetBySentence } from './buyerSentences.ts'

const HOURS = { today: '24', tomorrow: '48', '3 days': '72', 'a week': '168' }
/** So many of the sixty must be read as a person would set the form. */
const LEAST_RIGHT = 55

const partsOf = (sentence: string, now_ms = NOW_MS) =>
  readSentence(sentence, { findCities, findZip }, now_ms)
const read = (sentence: string) => partsOf(sentence)?.read ?? { q: sentence }

/**
 * The parameters of an address, with the city of a ZIP code instead of it where the sentence has
 * none.
 */
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

/** A sentence that sets each filter, as data/synonyms.json reads it; null: no sentence does. */
const SENTENCES: Record<Exclude<FilterName, 'q'>, string | null> = {
  category: null,
  state: 'truck in Texas',
  source: null,
  zip: 'truck near 60601',
  price_min: 'truck over $500',
  price_max: 'truck under $500',
  closing_within_hours: 'truck ending today',
  min_flip_score: null,
  value_min: null,
  ends_before: null,
  vehicle_year_min: '2015 or newer truck',
  vehicle_year_max: '2015 or older truck',
  vehicle_make: null,
  auction: null,
  odometer_max: 'truck under 90,000 miles',
  hours_max: 'forklift under 4,000 hours',
  runs: 'truck that runs',
  no_bids: 'truck with no bids',
  buy_now: 'truck buy now',
}

it.each(Object.entries(SENTENCES))('%s is set by the sentence %j', (name, sentence) => {
  if (sentence !== null) expect(Object.keys(read(sentence))).toContain(name)
  else expect(JSON.stringify(synonyms)).not.toMatch(new RegExp(`"${name}[*"]`))
})

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
    'shipping container',
    'delivery truck',
  ],
  ...[
    'forklift over 5000 lbs',
    'toner model 12345',
    '2012 Ford F-150',
    '"under 5000" sticker',
    'in ground pool',
    'georgia pacific towels',
    'california king bed',
    'dayton fan',
    'toyota tacoma',
    'friday harbor sign',
  ],
  ...['indiana jones poster', 'virginia slims sign', 'georgia tech jersey', 'oregon saw chain'],
]

/** A Wednesday, 9 PM in Dallas: Thursday by UTC. */
const NOW_MS = Date.parse('2026-11-26T03:00:00Z')

/** What other buyers wrote, with the parameters that are read. */
const ALSO_READ: [sentence: string, parameters: Record<string, string>][] = [
  ['texas pickup under 5000', { q: 'pickup', price_max: '5000', state: 'TX' }],
  ['florida boats', { q: 'boats', state: 'FL' }],
  ['dump truck closing by Friday', { q: 'dump truck', closing_within_hours: '72' }],
  ['auctions ending on wednesday', { q: '', closing_within_hours: '24' }],
  ['loader ending this weekend', { q: 'loader', closing_within_hours: '120' }],
  ['auctions ending tuesday', { q: '', closing_within_hours: '168' }],
  ['forklifts in ohio or indiana', { q: 'forklifts' }],
  ['what can I get for $1000 near Denver', { q: '', price_max: '1000', zip: '80208' }],
  ['non running motorcycles', { q: 'motorcycles', runs: 'false' }],
  ["mower that doesn't run", { q: 'mower', runs: 'false' }],
  ['truck that runs in Ohio', { q: 'truck', runs: 'true', state: 'OH' }],
  ['f150 runs and drives under 5k', { q: 'f150', runs: 'true', price_max: '5000' }],
  ['van in running condition', { q: 'van', runs: 'true' }],
  ['f150 under 100k miles', { q: 'f150', odometer_max: '100000' }],
  [
    'tahoe with less than 80,000 miles under $10k',
    { q: 'tahoe', odometer_max: '80000', price_max: '10000' },
  ],
  [
    'prius up to 120000 miles near Denver, CO',
    { q: 'prius', odometer_max: '120000', zip: '80208' },
  ],
  ['jeep 90k miles or less', { q: 'jeep', odometer_max: '90000' }],
  ['jeep mileage under 90k', { q: 'jeep', odometer_max: '90000' }],
  ['running forklift under 2000 hours', { q: 'forklift', runs: 'true', hours_max: '2000' }],
  ['backhoe fewer than 4,500 hours', { q: 'backhoe', hours_max: '4500' }],
  ['ending in under 24 hours', { q: '', closing_within_hours: '24' }],
  ['truck over 100k miles', { q: 'truck' }],
  ['newest listings of trailers', { q: 'trailers', sort: 'newest' }],
  ['best deals on trucks', { q: 'trucks', sort: 'room' }],
  ['cheapest laptops', { q: 'laptops', sort: 'price_low' }],
  ['500 to 1000 dollar macbook', { q: 'macbook', price_min: '500', price_max: '1000' }],
  ['surplus humvee with title', { q: 'humvee' }],
  ['vans los angeles', { q: 'vans', zip: '90071' }],
  ['San Diego boats', { q: 'boats', zip: '92112' }],
  ['ending in less than 24 hours', { q: '', closing_within_hours: '24' }],
  ['old motorhome under fifteen thousand', { q: 'motorhome', price_max: '15000' }],
  ['ovens near Chicago, within 50 miles', { q: 'ovens', zip: '60608', radius_miles: '50' }],
  ['pipe within 50 miles', { q: 'pipe' }],
  ['scissor lift w/ under 500 hours', { q: 'scissor lift', hours_max: '500' }],
]

const NOT_FILTERED: [sentence: string, parameters: Record<string, string>, unread: string[]][] = [
  ['forklifts that run no reserve', { q: 'forklifts', runs: 'true' }, ['no reserve']],
  ['F-150 local pickup only under $5k', { q: 'F-150', price_max: '5000' }, ['local pickup only']],
  ['f150 clean title', { q: 'f150' }, ['clean title']],
  ['mower in good condition', { q: 'mower' }, ['in good condition']],
  ['cheap mower', { q: 'mower' }, ['cheap']],
  ['generators that work', { q: 'generators' }, ['that work']],
  ['truck over 100k miles', { q: 'truck' }, ['over 100k miles']],
  ['laptops with free shipping', { q: 'laptops' }, ['with free shipping']],
  ['pipe within 50 miles', { q: 'pipe' }, ['within 50 miles']],
  ['forklifts in ohio or indiana', { q: 'forklifts' }, ['in ohio or indiana']],
  ['used "fire truck" low miles', { q: '"fire truck"' }, ['used', 'low miles']],
  ['government cars for sale please', { q: 'cars' }, []],
  ['cars that start and run', { q: 'cars', runs: 'true' }, []],
  ['drivable van', { q: 'van', runs: 'true' }, []],
  [
    'tahoe that runs and drives under 100k miles',
    { q: 'tahoe', runs: 'true', odometer_max: '100000' },
    [],
  ],
]

describe('a sentence of a buyer', () => {
  it(`sets the form as a person would, for ${LEAST_RIGHT} of sixty written before the reader`, () => {
    const wrong = BUYER_SENTENCES.filter(([sentence, form]) => {
      const [is, should] = [formOf(sentence), expected(form)].map(each =>
        Object.entries(each).sort(),
      )
      return JSON.stringify(is) !== JSON.stringify(should)
    })
    const told = wrong.map(([sentence, form]) => [sentence, formOf(sentence), expected(form)])
    expect(BUYER_SENTENCES).toHaveLength(60)
    // The way to it, and what it leaves, are read no further.
    for (const [sentence] of BUYER_SENTENCES)
      expect(read(read(sentence).q)).toEqual({ q: read(sentence).q })
    expect(wrong.length, JSON.stringify(told, null, 1)).toBeLessThanOrEqual(60 - LEAST_RIGHT)
  })

  it.each(ALSO_READ)('is read: %s', (sentence, parameters) => {
    expect(partsOf(sentence)?.read).toEqual(parameters)
  })

  it.each(ONLY_WORDS)('is none for %s', words => {
    expect(partsOf(words)).toBeNull()
  })

  it.each(NOT_FILTERED)('names what it does not filter by: %s', (sentence, parameters, unread) => {
    expect(partsOf(sentence)).toEqual({ read: parameters, unread })
  })
})

it.each([
  ['2026-11-28T18:00:00Z', '48'],
  ['2026-11-29T18:00:00Z', '24'],
  ['2026-11-30T18:00:00Z', '168'],
])('reads "this weekend" at %s as its %s hours until the end of Sunday', (now, hours) => {
  for (const words of ['this weekend', 'closing this weekend', 'ends by the end of this weekend'])
    expect(partsOf(`truck ${words}`, Date.parse(now))?.read).toEqual({
      q: 'truck',
      closing_within_hours: hours,
    })
})
