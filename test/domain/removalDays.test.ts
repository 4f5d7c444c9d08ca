import { expect, it } from 'vitest'
import { removalDays } from '../../src/words/listingWords.ts'

it.each([
  [
    'Inspection and removal are available Monday through Friday by confirmed appointment only. Closed.',
    'Monday through Friday by confirmed appointment only',
  ],
  [
    'Viewing and pickup times are Monday through Friday 8:30 a.m. to 3:30 p.m.',
    'Monday through Friday 8:30 a.m. to 3:30 p.m.',
  ],
  ['Inspection by appointment only, Monday to Friday.\nRemoval within ten days.', null],
  ['Removal of the property shall be performed by hopper barge only.', null],
])('a buyer is told the days of removal in %j', (text, days) => {
  expect(removalDays(text)).toBe(days)
})
