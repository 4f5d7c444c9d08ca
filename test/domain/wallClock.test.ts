import { expect, it } from 'vitest'
import { isTimeZone } from '../../src/domain/feeds/moments.ts'
import { STATES } from '../../src/domain/feeds/states.ts'
import { zoneOfState } from '../../src/domain/feeds/stateZones.ts'
import { instantOfWallClock } from '../../src/domain/feeds/wallClock.ts'

const cases: [string, string, string | null][] = [
  ['Oct 28, 2026 12:00 PM', 'NC', '2026-10-28T16:00:00Z'],
  ['Sep 9, 2026 12:30 AM', 'NC', '2026-09-09T04:30:00Z'],
  ['December 3, 2026 9:30 a.m.', 'TX', '2026-12-03T15:30:00Z'],
  ['Sept 9, 2026', 'AZ', '2026-09-10T06:59:59Z'],
  ['2026-10-28', 'HI', '2026-10-29T09:59:59Z'],
  ['2026-10-28T12:00:00-04:00', 'HI', '2026-10-28T16:00:00Z'],
  ['Oct 40, 2026 12:00 PM', 'NC', null],
  ['Foo 28, 2026 12:00 PM', 'NC', null],
  ['Oct 28, 2026 13:00 PM', 'NC', null],
  ['Oct 28, 2026 12:75 PM', 'NC', null],
  ['TBD', 'NC', null],
]
it.each(cases)('%s in %s is %s', (text, state, instant) => {
  expect(instantOfWallClock(text, zoneOfState(state))).toBe(instant)
})

it('knows a real zone for every state and territory', () => {
  const known = [...STATES].filter(state => isTimeZone(zoneOfState(state)))
  expect(known).toHaveLength(STATES.size)
  expect([...STATES].filter(state => zoneOfState(state) === 'America/New_York')).toHaveLength(20)
})
