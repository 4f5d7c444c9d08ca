import { beforeAll, describe, expect, it } from 'vitest'
import { contract } from '../support/contract/contract.ts'
import {
  DAY,
  FACTORS,
  fromNow,
  HOUR,
  insertAppraisal,
  insertLots,
  insertSales,
  NOW,
} from '../support/lots/fixtures.ts'
import { callTool } from '../support/mcp/mcp.ts'
import { serviceFor } from '../support/service/start.ts'
import { PUBLIC_URL } from '../support/service/testSettings.ts'

interface Rows {
  data: { id: string }[]
}

const OFFICIAL = 'https://city.example/lots/17'
const DALLAS = { state: 'TX', city: 'Dallas', zip: '75201', latitude: 32.7877, longitude: -96.7997 }

describe('the arguments of agents', () => {
  const api = serviceFor({ now: NOW })
  let lot: string

  beforeAll(async () => {
    const generator = {
      title: 'Generac diesel generator',
      category: 'tools-industrial',
      item: 'generator',
    }
    const [id] = await insertLots(api.sql, [
      {
        ...DALLAS,
        ...generator,
        slug: 'generator-17',
        source_url: OFFICIAL,
        odometer_miles: 17,
        current_bid_cents: 9_000,
      },
      { slug: 'desk', title: 'Desk', state: 'OK' },
    ])
    lot = id!
    const sales = await insertSales(
      api.sql,
      Array.from({ length: 6 }, (_, n) => ({
        ...generator,
        state: 'CA',
        sold_at: fromNow(-(n + 1) * DAY),
        final_bid_cents: 10_000 * (n + 1),
      })),
    )
    await insertAppraisal(api.sql, {
      lot_id: lot,
      sale_ids: sales,
      similarities: sales.map(() => 0.9),
      flip_score: 57,
      factors: { ...FACTORS },
    })
  })

  it.each([
    ['get_listing', 'id'],
    ['flip_score', 'id'],
    ['sold_comps', 'listing_id'],
  ])('name a lot to %s by id, slug, its page here or its official page', async (tool, name) => {
    const expected = await callTool(api, tool, { [name]: lot })
    expect(expected.isError, expected.text).toBe(false)
    for (const link of ['generator-17', `${PUBLIC_URL}/listings/generator-17`, ` ${OFFICIAL} `]) {
      const { structured } = await callTool(api, tool, { [name]: link })
      expect([link, structured]).toEqual([link, expected.structured])
    }
    for (const other of ['no-such-lot', 'https://city.example/lots/18'])
      expect((await callTool(api, tool, { [name]: other })).text).toMatch(
        /^not_found: No listing has /,
      )
  })

  it.each(['generators', 'Generac generator', 'generator'])(
    'say in one call what %s sell for in a state',
    async q => {
      const { structured, text } = await callTool(api, 'sold_comps', { q, state: 'California' })
      expect(structured).toMatchObject({ data: { item: 'generator', sold_count: 6 } })
      expect(text).toMatch(/^6 sales: median /)
    },
  )

  it('say what to send where words beside a state name no tracked item', async () => {
    const { isError, text } = await callTool(api, 'sold_comps', { q: 'zamboni', state: 'CA' })
    expect(isError).toBe(true)
    expect(text).toMatch(/q goes with state only where it names a tracked item/)
    expect(text).toMatch(/send q alone, category with state/)
  })

  it('name every property of a Listing in fields, and the nearest for a wrong one', async () => {
    const names = contract.propertiesOf('Listing')
    const { structured } = await callTool(api, 'search_listings', {
      ids: lot,
      fields: names.join(),
    })
    const rest = (await api.read(`/api/v1/listings?ids=${lot}`)).data[0]
    const known = names.filter(name => rest[name] !== null)
    expect(known).toContain('odometer_miles')
    expect(known).toContain('source_name')
    expect(Object.keys((structured as unknown as Rows).data[0]!)).toEqual(
      expect.arrayContaining(known),
    )
    for (const [wrong, meant] of [
      ['currentBidCents', 'current_bid_cents'],
      ['end_dates', 'end_date'],
      ['Vehicle_Make', 'vehicle_make'],
      ['price', 'current_bid_cents'],
      ['link', 'bidprowl_url'],
      ['bids', 'num_bids'],
      ['ends_at', 'end_date'],
      ['location', 'city'],
      ['mileage', 'odometer_miles'],
      ['year', 'vehicle_year'],
      ['limit', 'limit_cents'],
    ]) {
      const { text } = await callTool(api, 'search_listings', { fields: `title, ${wrong}` })
      expect(text).toContain(`Did you mean "${meant}"?`)
    }
  })

  it('name lots to search_listings by their links, with those of no lot as missing', async () => {
    const comma = 'https://www.publicsurplus.example/sms/wright,mn/auction/view?auc=17'
    await api.sql`update lots set source_url = ${comma} where slug = 'desk'`
    const unknown = 'https://city.example/lots/18,b/19'
    const expected = await callTool(api, 'search_listings', { ids: `desk,${lot},no-such-lot` })
    expect(expected.structured).toMatchObject({ total: 2, missing: ['no-such-lot'] })
    for (const ids of [
      `${comma},${OFFICIAL},${unknown}`,
      `${comma}, ${PUBLIC_URL}/listings/generator-17,${unknown}`,
      [comma, lot, unknown],
      ['desk', 'generator-17', unknown],
    ]) {
      const { structured, text } = await callTool(api, 'search_listings', { ids })
      expect(structured).toEqual({ ...expected.structured, missing: [unknown] })
      expect(text).toMatch(/^2 lots of 3\. No lot is named "https:/)
    }
  })

  it('are taken by each tool as the text of a search shows them', async () => {
    const { text } = await callTool(api, 'search_listings', { q: 'generator' })
    const links = text.match(/https?:[^\s;]+/g)!
    expect(links).toHaveLength(2)
    for (const link of links)
      for (const [tool, name] of [
        ['get_listing', 'id'],
        ['flip_score', 'id'],
        ['sold_comps', 'listing_id'],
        ['search_listings', 'ids'],
      ] as const) {
        const { isError, structured } = await callTool(api, tool, { [name]: link })
        expect([tool, link, isError, JSON.stringify(structured).includes(lot)]).toEqual([
          tool,
          link,
          false,
          true,
        ])
      }
  })

  it('arrange no lots that are named by ids', async () => {
    const ids = `desk,${lot}`
    const expected = await callTool(api, 'search_listings', { ids })
    for (const more of [{ per_page: 25 }, { sort: 'price_low' }, { per_page: 1, sort: 'newest' }])
      expect((await callTool(api, 'search_listings', { ids, ...more })).structured).toEqual(
        expected.structured,
      )
  })

  it.each([
    [['TX', 'OK']],
    ['TX,OK'],
    ['TX, OK'],
    ['TX or OK'],
    ['Texas and Oklahoma'],
    ['tx/ok'],
    ['TX OK'],
    ['["TX","OK"]'],
    ['WA, OR'],
    ['WA or OR'],
    ['Atlantis'],
    ['Dallas, TX'],
  ])('are refused for the state %j, with what to do', async state => {
    for (const tool of ['search_listings', 'sold_comps']) {
      const { isError, text } = await callTool(api, tool, { state })
      expect(isError).toBe(true)
      expect(text).toContain(
        '"state" takes one US state, by name or two letters. For several, call once',
      )
    }
  })

  it.each(['New York', 'OR', 'or', 'Oregon', 'district of columbia', 'D.C.', 'IN'])(
    'take the state %s',
    async state => {
      expect((await callTool(api, 'search_listings', { state })).isError).toBe(false)
    },
  )

  it.each(['Dallas, TX', 'dallas, texas', 'Dallas TX', '75201', ' Dallas, TX '])(
    'take the town %j',
    async place => {
      const expected = await callTool(api, 'search_listings', { zip: '75201' })
      expect(expected.structured).toMatchObject({ total: 1 })
      const { structured } = await callTool(api, 'search_listings', { place })
      expect((structured as unknown as Rows).data.map(({ id }) => id)).toEqual([lot])
    },
  )

  it.each(['Nowhereville', 'Springfield', 'Texas', '00000'])(
    'are refused for the town %s',
    async place => {
      const { text } = await callTool(api, 'search_listings', { place })
      expect(text).toMatch(
        /^invalid_request: "place" must be one US city with its state, such as "Dallas, TX"/,
      )
    },
  )

  describe('ask what closes within a day near a ZIP code, nearest first', () => {
    beforeAll(async () => {
      const atlanta = {
        state: 'GA',
        city: 'Atlanta',
        zip: '30303',
        latitude: 33.7529,
        longitude: -84.3925,
      }
      const marietta = {
        state: 'GA',
        city: 'Marietta',
        zip: '30060',
        latitude: 33.9378,
        longitude: -84.5419,
      }
      await insertLots(api.sql, [
        { ...marietta, slug: 'in-an-hour', title: 'Closing in an hour', ends_at: fromNow(HOUR) },
        {
          ...atlanta,
          slug: 'in-23-hours',
          title: 'Closing in 23 hours',
          ends_at: fromNow(23 * HOUR),
        },
        {
          ...atlanta,
          slug: 'in-25-hours',
          title: 'Closing in 25 hours',
          ends_at: fromNow(25 * HOUR),
        },
        { ...DALLAS, slug: 'far', title: 'Closing far away', ends_at: fromNow(HOUR) },
      ])
    })

    it.each<object>([
      { zip: '30303', closing_within_hours: 24, sort: 'nearest' },
      { zip: 30303, closing_within_hours: '24', sort: 'Nearest' },
      { place: 'Atlanta, GA', closing_within_hours: 24, sort: 'nearest' },
      { zip: '30303', ends_before: '2026-11-22T09:30:00Z', sort: 'nearest' },
      { zip: '30303', ends_before: '2026-11-22T04:30:00-05:00', sort: 'nearest' },
      { zip: '30303', ends_before: '2026-11-22T09:30+00:00', sort: 'nearest' },
      { zip: '30303', ends_before: '2026-11-22T10:29:59.999+01:00', sort: 'nearest' },
    ])('in one call: %j', async sent => {
      const { structured, text, isError } = await callTool(api, 'search_listings', sent)
      expect([isError, text]).toEqual([false, expect.any(String)])
      const { data } = structured as unknown as { data: { title: string }[] }
      expect(data.map(({ title }) => title)).toEqual(['Closing in 23 hours', 'Closing in an hour'])
    })

    it.each([
      ['2026-11-22T08:30:01Z', 2],
      ['2026-11-22T03:30:00-05:00', 1],
      ['2026-11-22', 1],
      ['2026-11-23', 3],
    ])('before %s to the second: %i lots', async (ends_before, total) => {
      const { structured } = await callTool(api, 'search_listings', { zip: '30303', ends_before })
      expect(structured).toMatchObject({ total })
    })

    it.each([
      ...[
        '2026-11-22T09:30:00',
        '2026-11-22 09:30',
        'tomorrow',
        '2026-11-22T25:00:00Z',
        '1795253402',
      ],
      ...['2026-11-22T09:30:00-0500', '22.11.2026', '2026-13-01T00:00:00Z'],
    ])('are refused for the end %j, with the forms that work', async ends_before => {
      const { isError, text } = await callTool(api, 'search_listings', { ends_before })
      const forms = /such as (\S+), or a time with its offset, such as (\S+)\./.exec(text)
      const isNoDay = text.includes('there is no 2026-13-01 in the calendar')
      expect([isError, isNoDay || forms !== null, text]).toEqual([true, true, text])
      for (const form of forms?.slice(1) ?? [])
        expect((await callTool(api, 'search_listings', { ends_before: form })).isError).toBe(false)
    })

    it('are told the name of what they mean', async () => {
      for (const [sent, meant] of [
        [{ sort: 'closest' }, 'nearest'],
        [{ sort: 'distance' }, 'nearest'],
        [{ distance: 50 }, 'radius_miles'],
        [{ city: 'Atlanta, GA' }, 'place'],
        [{ near: '30303' }, 'place'],
      ] as const)
        expect((await callTool(api, 'search_listings', sent)).text).toContain(
          `Did you mean "${meant}"?`,
        )
    })
  })
})
