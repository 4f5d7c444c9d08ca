import { beforeEach, describe, expect, it } from 'vitest'
import { readConfig } from '../../src/config.ts'
import { ingestionFor } from '../support/ingestion/ingestion.ts'
import { json, standInFor } from '../support/standIns/standIn.ts'
import { sweep } from '../support/standIns/sweeping.ts'

const KEY = 'sam-k3y-1'
let notices: object[]
let total: number | null
const ingestion = ingestionFor('each test')
const api = standInFor(({ url }) =>
  url.searchParams.get('api_key') === KEY
    ? json({ totalRecords: total ?? notices.length, opportunitiesData: notices })
    : json({ error: { code: 'API_KEY_INVALID' } }, { status: 403 }),
)
beforeEach(() => {
  total = null
  notices = [notice(1), notice(2, { responseDeadLine: null }), notice(3, { type: 'Solicitation' })]
})

/**
 * Unseen: the recorded answer has these fields, but no notice of this type, and neither place nor
 * contact.
 */
const notice = (n: number, changes: object = {}) => ({
  noticeId: `n${n}`,
  title: `Imaginary tug boat ${n}`,
  type: 'Sale of Surplus Property',
  active: 'Yes',
  responseDeadLine: '2026-12-01T17:00:00-05:00',
  placeOfPerformance: { city: { code: '1', name: 'Norfolk' }, state: { code: 'VA' }, zip: '23510' },
  pointOfContact: [{ fullName: 'PLANTED Jane Doe', email: 'planted@agency.example' }],
  officeAddress: { city: 'PLANTED' },
  uiLink: `https://sam.gov/opp/n${n}/view`,
  ...changes,
})
const fetchSam = (key = KEY) => sweep(ingestion, 'sam', `${api.origin}/search`, { key })

describe('notices of SAM.gov', () => {
  it('are lots with place, deadline and link, without people, from one call', async () => {
    expect(await fetchSam()).toMatchObject({ state: 'done', rows_taken: 2, new_sources: [] })
    const lots = await ingestion.sql`
      select source_id, title, city, state, zip, current_bid_cents, rfc3339(ends_at) as ends, source_url from lots order by source_id`
    expect(lots[0]).toEqual({
      source_id: 'n1',
      title: 'Imaginary tug boat 1',
      city: 'Norfolk',
      state: 'VA',
      zip: '23510',

      current_bid_cents: null,
      ends: '2026-12-01T22:00:00Z',
      source_url: 'https://sam.gov/opp/n1/view',
    })
    expect(lots[1]).toMatchObject({ source_id: 'n2', ends: null })
    const [{ text } = {}] = await ingestion.sql`select json_agg(lots)::text as text from lots`
    expect(text).not.toMatch(/planted/i)
    expect(api.asked.map(({ url }) => url.search)).toEqual([
      `?ptype=g&postedFrom=05%2F25%2F2026&postedTo=11%2F21%2F2026&limit=1000&offset=0&api_key=${KEY}`,
    ])
  })

  it('lose the cells that cannot be read, and no lot', async () => {
    const placeOfPerformance = {
      city: { name: 'Nor\0folk' },
      state: { code: 'V\0A' },
      zip: '2351\u0000',
    }
    notices = [
      notice(1, { placeOfPerformance }),
      notice(2, { responseDeadLine: 'to be announced' }),
    ]
    const result = await fetchSam()
    expect(result).toMatchObject({ rows_taken: 2, rows_set_aside: 0 })
    expect(result.cells_not_read.map(({ what }) => what.replace(/:.*/, ''))).toEqual(
      expect.arrayContaining([
        'city not read',
        'state not read',
        'zip not read',
        'end_date not read',
      ]),
    )
    const lots =
      await ingestion.sql`select city, rfc3339(ends_at) as ends from lots order by source_id`
    expect([lots[0]?.city, lots[1]?.ends]).toEqual([null, null])
  })

  it('change nothing when the key is wrong or the answer is not the whole list, and the key is in no reason', async () => {
    await fetchSam()
    const wrong = await fetchSam('sam-wr0ng')
    total = 3000
    const partial = await fetchSam()
    expect([wrong.state, partial.state]).toEqual(['refused', 'refused'])
    expect(partial.reason).toBe('SAM.gov has 3000 notices and sent 3.')
    expect(wrong.reason).not.toContain('wr0ng')
  })

  it('are off without SAM_API_KEY', () => {
    expect(readConfig({}).sources.sam?.key).toBeNull()
    expect(readConfig({ SAM_API_KEY: KEY }).sources.sam?.key).toBe(KEY)
  })
})
