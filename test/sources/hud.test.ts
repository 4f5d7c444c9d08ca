import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { ingestionFor } from '../support/ingestion/ingestion.ts'
import {
  type Fault,
  type HudAttributes,
  type PagedStandIn,
  startHudStandIn,
} from '../support/standIns/otherStandIns.ts'
import { sweep } from '../support/standIns/sweeping.ts'

let hud: PagedStandIn<HudAttributes>
const ingestion = ingestionFor('all tests')
beforeAll(async () => {
  hud = await startHudStandIn()
})
afterAll(() => hud.server.close())
beforeEach(() => {
  Object.assign(hud, { records: homes(25), fault: null })
  hud.server.asked.length = 0
})

function homes(count: number): HudAttributes[] {
  return Array.from({ length: count }, (_, n) => ({
    OBJECTID: n + 1,
    CASE_NUM: `011-${String(462_000 + n)}`,
    CASE_STEP_NUMBER: 6,
    ADDRESS: `${500 + n} Test Street`,
    CITY: 'Boston',
    STATE_CODE: 'MA',
    DISPLAY_ZIP_CODE: 2134,
    MAP_LATITUDE: 42.355,
    MAP_LONGITUDE: -71.13,
    DATE_ACQUIRED: 1_790_000_000_000,
  }))
}

const fetchHud = () => sweep(ingestion, 'hud', `${hud.server.origin}/HudSfReo/MapServer/1/query`)

describe('HUD homes', () => {
  it('are read page by page in one series, those that are listed', async () => {
    hud.records.push({ ...homes(1)[0]!, CASE_NUM: '099-000001', CASE_STEP_NUMBER: 8 })
    const result = await fetchHud()
    expect(result).toMatchObject({ state: 'done', rows_read: 25, rows_taken: 25, lots_new: 25 })
    const asked = hud.server.asked.map(({ url }) => url.searchParams)
    expect(asked.map(query => query.get('resultOffset'))).toEqual(['0', '10', '20'])
    expect(asked[0]?.get('where')).toBe('CASE_STEP_NUMBER = 6 AND STATE_CODE IS NOT NULL')
  })

  it('are live lots at their own coordinates, without bids or dates', async () => {
    await fetchHud()
    const [home] = await ingestion.sql`
      select title, category, state, city, zip, latitude, longitude, num_bids, current_bid_cents, is_open,
        rfc3339(ends_at) as ends, source_url
      from lots
      where source = 'hud' and source_id = '011-462003'`
    expect(home).toEqual({
      ...{ title: 'HUD home, 503 Test Street, Boston, MA', category: 'real-estate' },
      ...{ state: 'MA', city: 'Boston', zip: '02134', latitude: 42.355, longitude: -71.13 },
      ...{ num_bids: 0, current_bid_cents: null, is_open: true, ends: null },
      source_url: 'https://www.hudhomestore.gov/propertydetails?caseNumber=011-462003',
    })
  })

  it('are placed by their ZIP code where the coordinates cannot be right, and withdrawn when they are gone', async () => {
    hud.records = homes(20)
    Object.assign(hud.records[0]!, { MAP_LATITUDE: 0, MAP_LONGITUDE: 0 })
    Object.assign(hud.records[1]!, { CASE_NUM: '11-46' })
    const result = await fetchHud()
    expect(result).toMatchObject({ state: 'done', rows_set_aside: 1, lots_withdrawn: 6 })
    expect(result.set_aside[0]?.reason).toMatch(/^CASE_NUM must be/)
    const [home] =
      await ingestion.sql`select latitude from lots where source = 'hud' and source_id = '011-462000'`
    expect(home?.latitude).toBeCloseTo(42.36, 1)
  })

  const faults: [Fault, RegExp][] = [
    ['error200', /HUD answered an error: "Invalid URL"/],
    ['breaksOffOnPage2', /answered 500/],
    ['notAList', /no list of features/],
  ]
  it.each(faults)('change nothing after a fault: %s', async (fault, reason) => {
    await fetchHud()
    const { lots } = (await ingestion.everything()) as Record<string, unknown>
    hud.fault = fault
    const result = await fetchHud()
    expect(result.state).toBe('refused')
    expect(result.reason).toMatch(reason)
    expect(await ingestion.everything()).toMatchObject({ lots })
  })
})
