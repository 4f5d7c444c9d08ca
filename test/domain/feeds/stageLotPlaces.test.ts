import { expect, it } from 'vitest'
import { feedRow } from '../../../src/domain/feeds/feedRow.ts'
import { stageLot } from '../../../src/usecases/ingestion/stageLot.ts'

interface Place {
  zip?: string
  state?: string
  city?: string
}

/** ZIP code, state, city and latitude to one place, as the lot has them. */
function placeOf(place: Place): string {
  const row = feedRow(
    { source: 'gsa', source_id: '7', title: 'Desk', source_url: 'https://a.gov/7', ...place },
    () => 'UTC',
  )
  const { zip, state, city, latitude } = stageLot(row, new Date(0))
  return [zip, state, city, latitude?.toFixed(1) ?? null].join(' ')
}

it.each<[string, Place, string]>([
  ['is the middle of its ZIP code', { zip: '60601', state: 'IL', city: 'CHICAGO' }, '60601 IL CHICAGO 41.9'],
  [
    'has the city and the state of the ZIP code where the row is blank',
    { zip: '60601' },
    '60601 IL Chicago 41.9',
  ],
  ['reads ZIP+4 by its five digits', { zip: '606011234', state: 'IL' }, '60601-1234 IL Chicago 41.9'],
  ['gets back a zero that a table calculator dropped', { zip: '2134', state: 'MA' }, '02134 MA Allston 42.4'],
  ['is in Washington', { zip: '20500' }, '20500 DC Washington 38.9'],
  ['knows D.C. with dots', { state: 'D.C.', city: 'Washington, D.C.' }, ' DC Washington, D.C. 38.9'],
  ['is in Puerto Rico', { zip: '00901' }, '00901 PR San Juan 18.5'],
  ['is on Guam', { zip: '96910', state: 'GU' }, '96910 GU Hagatna 13.5'],
  ['is on the Virgin Islands', { zip: '00802', state: 'VI' }, '00802 VI St Thomas 18.3'],
  ['is on Samoa', { zip: '96799' }, '96799 AS Pago Pago -14.3'],
  ['is on the Marianas', { zip: '96950' }, '96950 MP Saipan 15.2'],
  [
    'has no point and no state at a post office of the army',
    { zip: '09002', state: 'AE', city: 'APO' },
    '09002  APO ',
  ],
  ['nor in the Pacific, where a table has a capital', { zip: '96201', state: 'AP' }, '96201   '],
  ['nor in the Americas', { zip: '34002', state: 'AA' }, '34002   '],
  ['is found by its city alone', { city: 'ST. LOUIS', state: 'MO' }, ' MO ST. LOUIS 38.6'],
  ['is found by an abbreviated city', { city: 'FT WORTH', state: 'TX' }, ' TX FT WORTH 32.8'],
  [
    'is where city and state agree, against the ZIP code',
    { zip: '60601', state: 'TX', city: 'Austin' },
    '60601 TX Austin 30.3',
  ],
  [
    'is where city and ZIP code agree, against the state',
    { zip: '60601', state: 'TX', city: 'Chicago' },
    '60601 IL Chicago 41.9',
  ],
  [
    'is where the ZIP code is when nothing else speaks for the state',
    { zip: '60601', state: 'TX' },
    '60601 IL Chicago 41.9',
  ],
  [
    'keeps its state when the ZIP code is known without one',
    { zip: '89437', state: 'NV', city: 'SPARKS' },
    '89437 NV SPARKS 39.5',
  ],
  ['has no point when nobody knows the ZIP code', { zip: '00000', state: 'TX' }, '00000 TX  '],
])('a lot %s', (_title, place, expected) => expect(placeOf(place)).toBe(expected))
