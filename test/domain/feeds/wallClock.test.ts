import { expect, it } from 'vitest'
import { instantOfWallClock, isTimeZone } from '../../../src/domain/feeds/moments.ts'
import { STATES, zoneAt } from '../../../src/domain/feeds/states.ts'
import { readings } from '../titles/listed.ts'

/**
 * Clocks go forward on 8 March 2026: 2:30 is left out, and the day has 23 hours. They go back on 1
 * November 2026: 1:30 comes twice, and is the first.
 */
const cases =
  readings(`Oct 28, 2026 12:00 PM, NC = 2026-10-28T16:00:00Z | Sep 9, 2026 12:30 AM, NC = 2026-09-09T04:30:00Z
  | December 3, 2026 9:30 a.m., TX = 2026-12-03T15:30:00Z | Sept 9, 2026, AZ = 2026-09-10T06:59:59Z
  | 2026-10-28, HI = 2026-10-29T09:59:59Z | 2026-10-28T12:00:00-04:00, HI = 2026-10-28T16:00:00Z
  | 5/7/2026 3:00 PM, IL = 2026-05-07T20:00:00Z | 05/07/2026, IL = 2026-05-08T04:59:59Z
  | 5/7/2026 15:30, IL = 2026-05-07T20:30:00Z | 2026-05-07 15:00, IL = 2026-05-07T20:00:00Z
  | 2026-05-07T15:00:00.000, CO = 2026-05-07T21:00:00Z
  | Thursday, May 7th, 2026 at 3:00 p.m., NC = 2026-05-07T19:00:00Z
  | 5/7/2026 3:00 PM CT, NC = 2026-05-07T20:00:00Z | May 7, 2026 9:00 AM (PST), NC = 2026-05-07T16:00:00Z
  | May 7, 2026 9:00 AM, GU = 2026-05-06T23:00:00Z | May 7, 2026 9:00 AM, PR = 2026-05-07T13:00:00Z
  | May 7, 2026 9:00 AM, AS = 2026-05-07T20:00:00Z | 1790000000000, HI = 2026-09-21T14:13:20Z
  | 2026-03-08 1:59, IL = 2026-03-08T07:59:00Z | 2026-03-08 2:30, IL = 2026-03-08T08:30:00Z
  | 2026-03-08 3:00, IL = 2026-03-08T08:00:00Z | 2026-03-07, IL = 2026-03-08T05:59:59Z
  | 2026-03-08, IL = 2026-03-09T04:59:59Z | 2026-11-01 0:59, IL = 2026-11-01T05:59:00Z
  | 2026-11-01 1:30, IL = 2026-11-01T06:30:00Z | 2026-11-01 2:00, IL = 2026-11-01T08:00:00Z
  | 2026-10-31, IL = 2026-11-01T04:59:59Z | 2026-11-01, IL = 2026-11-02T05:59:59Z
  | 2026-11-01 1:30 PM, GU = 2026-11-01T03:30:00Z | 2/29/2028, NC = 2028-03-01T04:59:59Z`)
it.each(cases)('%s is %s', (written, instant) => {
  const [, text = '', state = ''] = /^(.*), (..)$/.exec(written) ?? []
  expect(instantOfWallClock(text, zoneAt({ state, zip: null }))).toBe(instant)
})

const refused = [
  ...[
    'Oct 40, 2026 12:00 PM',
    'Foo 28, 2026 12:00 PM',
    'Oct 28, 2026 13:00 PM',
    'Oct 28, 2026 12:75 PM',
  ],
  ...[
    '2/29/2026',
    '13/7/2026',
    '5/7/26',
    '5/7/2026 25:00',
    '5/7/2026 12:60 PM',
    '5/7/2026 3:00 PM XYZ',
  ],
  ...['0000000000000', '1790000000', 'TBD'],
]
it.each(refused)('%s is no moment', text =>
  expect(instantOfWallClock(text, zoneAt({ state: 'NC', zip: null }))).toBeNull(),
)

it('knows a real zone for every state and territory', () => {
  const known = [...STATES].filter(state => isTimeZone(zoneAt({ state, zip: null })))
  expect(known).toHaveLength(STATES.size)
  expect(
    [...STATES].filter(state => zoneAt({ state, zip: null }) === 'America/New_York'),
  ).toHaveLength(20)
})

it.each([
  ['TX', '79901', 'America/Denver'],
  ['FL', '32501-1234', 'America/Chicago'],
  ['TN', '37902', 'America/New_York'],
  ['TN', '37388', 'America/Chicago'],
  ['ID', '83814', 'America/Los_Angeles'],
  ['TX', '77045', 'America/Chicago'],
  [null, null, 'America/New_York'],
])('a place in %s with the ZIP code %s has the clocks of %s', (state, zip, zone) =>
  expect(zoneAt({ state, zip })).toBe(zone),
)
