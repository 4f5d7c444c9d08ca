import { expect, it } from 'vitest'
import { feedRow } from '../../../src/domain/feeds/feedRow.ts'
import { stageLot } from '../../../src/usecases/ingestion/stageLot.ts'

/** ZIP code, state and city, as a row has them; undefined where it is blank. */
type Place = [zip?: string, state?: string, city?: string]

/** ZIP code, state, city and latitude to one place, as the lot has them. */
function placeOf([rowZip, rowState, rowCity]: Place): string {
  const place = { zip: rowZip, state: rowState, city: rowCity }
  const least = {
    source: 'gsa',
    source_id: '7',
    title: 'Desk',
    source_url: 'https://www.gsaauctions.gov/7',
  }
  const row = feedRow({ ...least, ...place }, () => 'UTC')
  const { zip, state, city, latitude } = stageLot(row, new Date(0))
  return [zip, state, city, latitude?.toFixed(1) ?? null].join(' ')
}

const blank = undefined
it.each<[string, Place, string]>([
  ['is the middle of its ZIP code', ['60601', 'IL', 'CHICAGO'], '60601 IL Chicago 41.9'],
  [
    'has the city and the state of the ZIP code where the row is blank',
    ['60601'],
    '60601 IL Chicago 41.9',
  ],
  ['reads ZIP+4 by its five digits', ['606011234', 'IL'], '60601-1234 IL Chicago 41.9'],
  ['gets back a zero that a table calculator dropped', ['2134', 'MA'], '02134 MA Allston 42.4'],
  ['is in Washington', ['20500'], '20500 DC Washington 38.9'],
  ['knows D.C. with dots', [blank, 'D.C.', 'Washington, D.C.'], ' DC Washington, D.C. 38.9'],
  ['is in Puerto Rico', ['00901'], '00901 PR San Juan 18.4'],
  ['is on Guam', ['96910', 'GU'], '96910 GU Hagatna 13.5'],
  ['is on the Virgin Islands', ['00802', 'VI'], '00802 VI St Thomas 18.4'],
  ['is on Samoa', ['96799'], '96799 AS Pago Pago -14.3'],
  ['is on the Marianas', ['96950'], '96950 MP Saipan 15.2'],
  ['has no point and no state at a post office of the army', ['09002', 'AE', 'APO'], '09002  APO '],
  ['nor in the Pacific, where a table has a capital', ['96201', 'AP'], '96201   '],
  ['nor in the Americas', ['34002', 'AA'], '34002   '],
  ['is found by its city alone', [blank, 'MO', 'ST. LOUIS'], ' MO St. Louis 38.6'],
  ['is found by an abbreviated city', [blank, 'TX', 'FT WORTH'], ' TX Ft Worth 32.8'],
  [
    'is where city and state agree, against the ZIP code',
    ['60601', 'TX', 'Austin'],
    '60601 TX Austin 30.3',
  ],
  [
    'is where city and ZIP code agree, against the state',
    ['60601', 'TX', 'Chicago'],
    '60601 IL Chicago 41.9',
  ],
  [
    'is where the ZIP code is when nothing speaks for the state',
    ['60601', 'TX'],
    '60601 IL Chicago 41.9',
  ],
  ['is known by a ZIP code that GeoNames lacks', ['89437', 'NV', 'SPARKS'], '89437 NV Sparks 39.5'],
  ['has no point when nobody knows the ZIP code', ['00000', 'TX'], '00000 TX  '],
])('a lot %s', (_title, place, expected) => expect(placeOf(place)).toBe(expected))
