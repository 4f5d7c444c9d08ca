import { describe, expect, it } from 'vitest'
import { plainCells } from '../../../src/domain/feeds/feedEntry.ts'
import { feedRow } from '../../../src/domain/feeds/feedRow.ts'
import { gsa } from '../../../src/infra/sources/gsa.ts'
import { stageLot } from '../../../src/usecases/ingestion/stageLot.ts'
import { FORMS_OF_PEOPLE, PLANTED } from '../../support/feeds/people.ts'
import { NOW } from '../../support/lots/fixtures.ts'
import { gsaLot } from '../../support/standIns/gsaLots.ts'

/** As people write them into files, with and without markup. */
const FORMS = [
  ...FORMS_OF_PEOPLE,
  'Call 446-555-0100 (Bob Quarles).',
  'Bob Quarles at 281.555.0157',
  'Nate Quarles at quarlesn@kawvalley.example.us or 785.555.0183',
  'Contact Ofc. Quarles (610) 555-0144.',
  'Seized vehicle from Quarles, Robert J. Case 26-00912.',
  '(610) 555-0144: Nancy Quarles',
  'Nancy Quarles <nancy.quarles@example.gov>',
  '918-555-0133 - ask for Nancy Quarles',
]
const SAFE = '(4) steel desks. Oak, 6 ft.'
const MARKUPS: [name: string, write: (form: string) => string][] = [
  ['text', form => `${SAFE}\n${form}`],
  ['paragraphs', form => `<p>${SAFE}</p><p>${form.replaceAll('\n', '</p><p>')}</p>`],
  ['a list', form => `<ul><li>${SAFE}</li><li><b>${form.replaceAll('\n', '<br/>')}</b></li></ul>`],
]

const cells = (description: string) => ({
  ...{ source: 'govdeals', source_id: '1', title: 'Steel desks', end_date: '2099-01-01T00:00:00Z' },
  ...{ source_url: 'https://www.govdeals.com/asset/1/1', description },
})

/** What is stored of a description, by each door that takes one. */
const DOORS: [name: string, read: (description: string) => string][] = [
  [
    'a file',
    text =>
      stageLot(
        feedRow(cells(text), () => 'UTC'),
        NOW,
      ).description ?? '',
  ],
  [
    'GSA',
    text => {
      const fields = gsa.fieldsOf(gsaLot(1, { lotInfo: text }))
      return stageLot(gsa.readRow(fields), NOW).description ?? ''
    },
  ],
  ['an entry of a portal', text => String(plainCells({ description: text }).description ?? '')],
]

describe.each(DOORS)('%s', (_, read) => {
  describe.each(MARKUPS)('in %s', (_name, write) => {
    it.each(FORMS)('keeps the lot and no person of %j', form => {
      const kept = read(write(form))
      expect(kept).not.toMatch(PLANTED)
      expect(kept).toContain('steel desks')
    })
  })
})

it('a file and GSA keep the same words', () => {
  const [[, file], [, official]] = DOORS as [(typeof DOORS)[0], (typeof DOORS)[0]]
  for (const [, write] of MARKUPS)
    for (const form of FORMS)
      expect([form, file(write(form))]).toEqual([form, official(write(form))])
})

it.each([
  'Steel desk, call Nancy Quarles 318-446-0100',
  'Steel desk - Nancy Quarles @ 918-446-0133',
  'Steel desk (Mr. Quarles at 318-446-0100)',
  'Boat of Nancy Quarles',
])('a title of a file keeps no person: %s', title => {
  expect(feedRow({ ...cells(''), title }, () => 'UTC').title).toMatch(/^(Steel desk|Boat)$/)
})
