import { Ajv2020 } from 'ajv/dist/2020.js'
import { beforeAll, describe, expect, it, vi } from 'vitest'
import { WHERE_KNOWN } from '../../src/contract/toolSchemas.ts'
import { wholeDollars } from '../../src/domain/format.ts'
import { rounded } from '../../src/domain/price.ts'
import { pageText } from '../../src/mcp/texts.ts'
import { rescore } from '../../src/usecases/valuation/rescore.ts'
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
import { observeAt } from '../support/lots/observations.ts'
import { asToolGives, callTool, legacyRequest, post } from '../support/mcp/mcp.ts'
import { serviceFor, type TestService } from '../support/service/start.ts'
import { PUBLIC_URL } from '../support/service/testSettings.ts'

/** Ten lots with as many known fields and as long titles and addresses as real ones have. */
const TEN = Array.from({ length: 10 }, (_, n) => ({
  slug: `2014-ford-f-150-xl-crew-cab-pickup-4x4-gsa-3-1-qsc-i-27-006-00${n}`,
  title: '2014 FORD F-150 XL CREW CAB PICKUP, 4X4, 104211 MI.',
  category: 'vehicles',
  item: 'ford-f-150',
  quantity: 1,
  vehicle_year: 2014,
  vehicle_make: 'Ford',
  vehicle_model: 'F-150',
  state: 'IL',
  city: 'CHICAGO HEIGHTS',
  zip: '60601',
  latitude: 41.8858,
  longitude: -87.6181,
  current_bid_cents: 412_500 + n,
  starting_bid_cents: 50_000,
  buy_now_cents: 990_000,
  num_bids: 11,
  condition_grade: 'repairable',
  image_url: `https://images.example/${'x'.repeat(100)}.jpg`,
  source_url: `https://www.gsaauctions.gov/auctions/preview/37112${n}`,
  flip_score: 64,
  limit_cents: 420_000,
  verdict: 'room',
}))

const OVER = { is_open: false, outcome: 'unsold' as const, ends_at: fromNow(-HOUR) }
const ADJUNTAS = { state: 'PR', zip: '00601', latitude: 18.18, longitude: -66.75 }

/** The properties of a schema, with those of which it only has the name. */
function allProperties({
  properties,
  description = WHERE_KNOWN,
}: {
  properties: object
  description?: string
}) {
  const names = description.slice(WHERE_KNOWN.length).split(', ').filter(Boolean)
  return { ...Object.fromEntries(names.map(name => [name, {}])), ...properties }
}

/** Calls a tool, whose answer is what its schema says, and has no property besides. */
async function callBySchema(api: TestService, name: string, sent: object): Promise<unknown> {
  const { body } = await post(api, legacyRequest('tools/list'), { key: null })
  const { outputSchema } = body.result.tools.find((tool: { name: string }) => tool.name === name)
  const closed = JSON.parse(JSON.stringify(outputSchema), (_key, value) =>
    value?.properties
      ? { ...value, properties: allProperties(value), additionalProperties: false }
      : value,
  )
  const { structured } = await callTool(api, name, sent)
  const validate = new Ajv2020().compile(closed)
  expect([name, validate(structured), validate.errors]).toEqual([name, true, null])
  return structured
}

describe('what the tools answer', () => {
  const api = serviceFor({ now: NOW })

  beforeAll(async () => {
    const ids = await insertLots(api.sql, TEN)
    await insertAppraisal(api.sql, { lot_id: ids[0]!, flip_score: 64, factors: FACTORS })
    const shared = 'https://city.example/surplus'
    await insertLots(api.sql, [
      { slug: 'bench', title: 'Work bench', state: 'OH', source_url: shared },
      { slug: 'desk', title: 'Desk', state: 'OH', source_url: shared },
      { slug: 'live', state: 'OR', source_url: 'https://city.example/relisted' },
      { ...OVER, slug: 'over', source_url: 'https://city.example/relisted' },
      { slug: 'lariat', title: 'Lariat saddle', state: 'WY' },
      { slug: 'island', ...ADJUNTAS, current_bid_cents: 300_000 },
    ])
  })

  it('names no page after the last one that can be asked for', async () => {
    const { data } = await api.read('/api/v1/listings?per_page=1')
    const textOf = (page: number) =>
      pageText(
        {
          data,
          page,
          per_page: 1,
          total: 900,
          total_pages: 900,
          missing: null,
          suggestion: null,
          twins: null,
        },
        {} as never,
        new Map(),
      )
    expect(textOf(199)).toContain('call again with "page": 200.')
    expect(textOf(200)).not.toContain('call again')
  })

  it('costs at most 2,600 tokens for ten lots, text and structure together, at four characters a token', async () => {
    const { response, structured } = await callTool(api, 'search_listings', {
      group: 'none',
      zip: '60601',
    })
    expect(structured).toMatchObject({ total: 10, per_page: 10 })
    const { content, structuredContent } = response.body.result
    const tokens = (content[0].text.length + JSON.stringify(structuredContent).length) / 4
    expect(tokens).toBeLessThanOrEqual(2_600)
    // Below this the rows would be empty, and the bound would prove nothing.
    expect(tokens).toBeGreaterThan(1_500)
  })

  it('matches the output schemas, and has no property besides', async () => {
    for (const [name, sent] of [
      ['search_listings', { zip: '60601' }],
      ['get_listing', { id: TEN[0]!.slug }],
      ['flip_score', { id: TEN[0]!.slug }],
    ] as const) {
      const structured = await callBySchema(api, name, sent)
      expect(JSON.stringify(structured)).not.toContain('null')
    }
  })

  it('says in get_listing how the bid moved in the last 24 hours, where it did, of a live lot', async () => {
    const now = (api.clock.now ?? new Date()).getTime()
    const seen = async (hoursAgo: number, current_bid_cents: number | null, num_bids: number) => {
      await observeAt(api.sql, new Date(now - hoursAgo * HOUR))
      await api.sql`update lots set ${api.sql({ current_bid_cents, num_bids })} where slug = 'moving'`
      const { structured, text } = await callTool(api, 'get_listing', { id: 'moving' })
      const { bidding } = (structured as unknown as { data: { bidding?: string } }).data
      expect(text.includes('bidding: ')).toBe(bidding !== undefined)
      return bidding
    }
    await observeAt(api.sql, new Date(now - 40 * HOUR))
    await insertLots(api.sql, [{ slug: 'moving', state: 'AK', ends_at: new Date(now + HOUR) }])
    expect(await seen(30, null, 0), 'one observation').toBeUndefined()
    expect(await seen(26, 35_500, 9), 'longer ago').toBeUndefined()
    expect(await seen(3, 35_500, 10), 'another bid, the same price').toBeUndefined()
    expect(await seen(2.5, 41_000, 12)).toBe('Bid rose from $355 to $410 in the last 3 h.')
    expect(await seen(1, 20_050, 8)).toBe('Bid fell from $355 to $200.50 in the last 3 h.')
    await api.sql`update lots set ends_at = ${new Date(now - 1)} where slug = 'moving'`
    expect(await seen(0, 20_050, 9), 'ended').toBeUndefined()
    await api.sql`update lots set ends_at = ${new Date(now + HOUR)} where slug = 'moving'`
    await api.sql`delete from lot_changes where lot_id in (select id from lots where slug = 'moving') and observed_at > ${new Date(now - 27 * HOUR)}`
    expect(await seen(0, 5_000, 1)).toBe('First bid in the last 1 min; now $50.')
    // No longer found by the searches of the other tests.
    await api.sql`update lots set is_open = false, ends_at = ${new Date(now - 1)} where slug = 'moving'`
    await observeAt(api.sql, null)
  })

  it('gives of lots that are alike in one sale the first, with the number of the others, where it has words', async () => {
    const chair = { title: 'Stacking chair', state: 'DE', zip: '19901' }
    const chairs = Array.from({ length: 12 }, (_, n) => ({ ...chair, slug: `stacking-${n}` }))
    await insertLots(api.sql, [...chairs, { ...chair, slug: 'folding', title: 'Folding chair' }])
    const one = await callTool(api, 'search_listings', { q: 'chair', state: 'DE' })
    expect(one.structured).toMatchObject({ total: 2, data: [{}, {}] })
    expect(Object.values<number>(one.structured!.twins!).toSorted()).toEqual([0, 11])
    expect(one.text).toMatch(/^- Stacking chair .*\n.*\n {2}\+11 more like it in this sale$/m)
    expect(one.text.match(/more like it/g)).toHaveLength(1)
    const short = await callTool(api, 'search_listings', {
      group: 'sale',
      state: 'DE',
      fields: 'city',
    })
    expect(short.text).toContain('+11 more like it in this sale')
    for (const every of [{ state: 'DE' }, { q: 'chair', state: 'DE', group: 'none' }]) {
      const all = await callTool(api, 'search_listings', every)
      expect(all.structured).toMatchObject({ total: 13, total_pages: 2 })
      expect(all.text).not.toContain('more like it')
    }
    const none = await callTool(api, 'search_listings', { state: 'VI' })
    expect(none.structured).not.toHaveProperty('twins')
  })

  it('says in search_listings how many more live lots the auction of a lot has', async () => {
    const auction = { auction_id: 'gsa-27-010', auction_name: '27-010', state: 'VT', source: 'gsa' }
    await insertLots(api.sql, [
      { ...auction, slug: 'chairs', title: 'Chairs' },
      { ...auction, slug: 'tables', title: 'Tables' },
      { ...auction, slug: 'shelves', title: 'Shelves', state: 'NH' },
      { ...auction, ...OVER, slug: 'lamps', title: 'Lamps' },
      {
        slug: 'alone',
        title: 'Anvil',
        state: 'VT',
        auction_id: 'gsa-27-011',
        auction_name: '27-011',
      },
    ])
    const { text } = await callTool(api, 'search_listings', { state: 'VT' })
    expect(text).toMatch(/^- Chairs .*; \+2 more in auction gsa-27-010/m)
    expect(text).toMatch(/^- Anvil (?!.*more in auction)/m)
    await insertLots(api.sql, [{ slug: 'of-no-auction', state: 'WY' }])
    const read = vi.spyOn(api.deps.reads, 'read')
    const readsOf = async (state: string) => {
      read.mockClear()
      await callTool(api, 'search_listings', { state })
      return read.mock.calls.length
    }
    expect((await readsOf('VT')) - (await readsOf('WY')), 'no auction is named').toBe(1)
    read.mockRestore()
    const chairs = await callTool(api, 'get_listing', { id: 'chairs' })
    expect(chairs.text).toMatch(/^auction: .*live_lots 3/m)
  })

  it('says in get_listing what a lot asks of bidders, where it does', async () => {
    const draft = {
      slug: 'asking',
      state: 'AK',
      bid_conditions: ['us_citizens_only', 'sealed_bid'],
    }
    await insertLots(api.sql, [draft])
    const { text } = await callTool(api, 'get_listing', { id: 'asking' })
    expect(text).toMatch(/^before_bidding: Bids are sealed: .* Only US citizens may buy it\.$/m)
    const { structured } = await callTool(api, 'get_listing', { id: TEN[0]!.slug })
    expect(structured).not.toHaveProperty('data.before_bidding')
  })

  it('cuts a description after 1,000 characters', async () => {
    const written = `${'Runs and drives. '.repeat(200)}😀`
    const [id] = await insertLots(api.sql, [
      { slug: 'long', state: 'AK', description: written },
      { slug: 'short', state: 'AK', description: 'Two\nparagraphs.' },
    ])
    const full = (await api.get(`/api/v1/listings/${id}`)).body.data.description as string
    const { structured } = await callTool(api, 'get_listing', { id })
    const { data } = structured as unknown as { data: { description: string } }
    expect(full.length).toBeGreaterThan(2_000)
    expect(data.description).toBe(full.slice(0, 1_000))
    const short = await callTool(api, 'get_listing', { id: 'short' })
    expect(short.text).toMatch(/^description: Two paragraphs\.$/m)
  })

  it('finds a lot by its official page, in get_listing and flip_score', async () => {
    const { structured } = await callTool(api, 'get_listing', { id: TEN[3]!.source_url })
    expect(structured).toMatchObject({
      data: { bidprowl_url: `${PUBLIC_URL}/listings/${TEN[3]!.slug}` },
    })
    const { text } = await callTool(api, 'flip_score', {
      id: `${PUBLIC_URL}/listings/${TEN[0]!.slug}`,
    })
    expect(text).toMatch(
      /^Room up to \$4,200; Flip Score 64 of 100: current bid \$4,125, 11 bids\. Now below similar sales;/,
    )
  })

  it('names the lots that share an official page; the one that is open is meant where only one is', async () => {
    const shared = await callTool(api, 'get_listing', { id: 'https://city.example/surplus' })
    expect(shared.isError).toBe(true)
    expect(shared.text).toMatch(
      /^invalid_request: Several listings share this page: .*\(Work bench\)/,
    )
    expect(shared.text).toMatch(/\(Desk\).*Send the id of one\./)
    const relisted = await callTool(api, 'get_listing', { id: 'https://city.example/relisted' })
    expect(relisted.structured).toMatchObject({
      data: { bidprowl_url: `${PUBLIC_URL}/listings/live` },
    })
  })

  it.each([
    'https://nowhere.example/lot/1',
    `${PUBLIC_URL}/listings/no-such-lot`,
    `${PUBLIC_URL}/listings/%00`,
    'https://',
    "https://x.example/' or 1=1 --",
  ])('names no lot: %s', async id => {
    const { isError, text } = await callTool(api, 'get_listing', { id })
    expect(isError).toBe(true)
    expect(text).toMatch(/^not_found: .+ Call search_listings to find lots and their ids\.$/)
  })

  it.each<[object, object]>([
    [{ state: 'Wyoming' }, { state: 'WY' }],
    [{ state: ' wyoming ' }, { state: 'WY' }],
    [{ state: 'W.Y.' }, { state: 'WY' }],
    [{ state: 'puerto rico' }, { state: 'PR' }],
    [{ price_max: '$3,000' }, { price_max: 3000 }],
    [{ price_min: '4,125.04 USD' }, { price_min: 4125.04 }],
    [{ ids: `["${TEN[0]!.slug}", "${TEN[1]!.slug}"]` }, { ids: `${TEN[0]!.slug},${TEN[1]!.slug}` }],
    [{ category: 'Vehicles' }, { category: 'vehicles' }],
    [{ per_page: '3' }, { per_page: 3 }],
    [{ sort: 'Price Low' }, { sort: 'price_low' }],
    [{ no_bids: 'False' }, { no_bids: false }],
    [{ buy_now: 'yes' }, { buy_now: true }],
    [{ zip: 60601 }, { zip: '60601' }],
    [{ zip: 601 }, { zip: '00601' }],
    [{ q: 2014, state: null, category: null }, { q: '2014' }],
  ])('is the same for %j as for %j', async (written, exact) => {
    const expected = await callTool(api, 'search_listings', exact)
    expect(expected.structured).toMatchObject({ total: expect.any(Number) })
    const { structured } = await callTool(api, 'search_listings', written)
    expect(structured).toEqual(expected.structured)
    expect(structured!.total).toBeGreaterThan(0)
  })

  it.each([
    ['search_listings', { category: 'vehicles', state: 'TX' }],
    ['get_listing', { id: 'bench' }],
    ['sold_comps', { category: 'vehicles' }],
    ['flip_score', { id: 'bench' }],
  ])(
    '%s answers the same with what clients add for themselves, and refuses any other name',
    async (name, sent) => {
      const answer = async (more = {}) => {
        const { text, structured, isError } = await callTool(api, name, { ...sent, ...more })
        return { text, structured, isError }
      }
      const alone = await answer()
      const added = [
        'toolCallId',
        'tool_call_id',
        'toolUseId',
        'sessionId',
        'action',
        'chatInput',
        'tool',
        '_meta',
      ]
      const VALUES = ['call_0123456789', null, { a: 1 }]
      for (const [n, one] of [
        ...added,
        'requestId',
        'progressToken',
        'threadId',
        'runId',
        'conversation_id',
      ].entries())
        expect([one, await answer({ [one]: VALUES[n % VALUES.length] })]).toEqual([one, alone])
      for (const other of ['toolCall', 'sess', 'actions', 'chat', 'metadata', 'idd'])
        expect((await answer({ [other]: 'x' })).text).toMatch(
          new RegExp(`^invalid_request: Unknown parameter "${other}"`),
        )
    },
  )

  it('needs no plan for an argument that is null', async () => {
    const sent = { state: 'ZZ', item: null, listing_id: null }
    const { text } = await callTool(api, 'sold_comps', sent, { key: null })
    expect(text).toMatch(/^not_found/)
  })

  it.each<[object, string]>([
    [{ state: 'Texass' }, '"state" takes one US state, by name or two letters.'],
    [{ price_max: '-5' }, '"price_max" must be a number from 0'],
    [{ price_max: '1.500' }, '"price_max" must be a number from 0'],
    [{ per_page: '5.5' }, '"per_page" must be a whole number from 1 to 50'],
    [{ no_bids: 'maybe' }, '"no_bids" must be true or false.'],
    [{ zip: '6060' }, '"zip" must be written like 60601.'],
    [{ condition_grade: 'usable' }, 'Unknown parameter "condition_grade". It takes q, category,'],
    [{ max_price: 5 }, 'Unknown parameter "max_price". Did you mean "price_max"?'],
  ])('says how it is written: %j', async (written, sentence) => {
    const { isError, text } = await callTool(api, 'search_listings', written)
    expect(isError).toBe(true)
    expect(text).toContain(sentence)
  })

  it('names fewer words where all words find nothing, without those that no lot has', async () => {
    const sent = { q: 'ford f-150 unicorn', state: 'IL' }
    const { text, structured } = await callTool(api, 'search_listings', sent)
    expect(text).toMatch(/^No live lot matches\. "q": "ford f-150" finds 10 lots\./)
    expect(structured).toMatchObject({ suggestion: { q: 'ford f-150', total: 10 } })
    const { suggestion } = await api.read('/api/v1/listings?q=ford+f-150+unicorn&state=IL')
    expect(suggestion).toEqual({ q: 'ford f-150', total: 10 })
    const apart = await callTool(api, 'search_listings', { q: 'ford pickup lariat' })
    expect(apart.text).toMatch(/^No live lot matches\. "q": "ford pickup" finds 10 lots\./)
  })

  it.each([
    'unicorn',
    'unicorn griffin',
    'lariat -saddle',
    '"ford lariat" saddle',
    'unicorn or griffin',
  ])('names no fewer words for %s', async q => {
    const { text } = await callTool(api, 'search_listings', { q })
    expect(text).toBe('No live lot matches these words. Try other names of the thing.')
  })
})

describe('what the tools say of a value', () => {
  const TITLE = '2016 Ford F-150 XL crew cab pickup truck'
  const api = serviceFor()
  let lot: string

  beforeAll(async () => {
    api.clock.now = NOW
    const truck = { title: TITLE, category: 'vehicles', item: 'ford-f-150' }
    const sales = Array.from({ length: 12 }, (_, n) => ({
      ...truck,
      final_bid_cents: 900_000 + n * 10_000,
      sold_at: fromNow(-(n + 1) * DAY),
    }))
    await insertSales(api.sql, sales)
    ;[lot] = (await insertLots(api.sql, [
      { slug: 'bid-on', ...truck, current_bid_cents: 100_000, num_bids: 3 },
      { slug: 'no-bid', ...truck },
    ])) as [string]
    await rescore(api.sql, { now: NOW })
  })

  it('says the same of a title as REST does', async () => {
    let rest = await api.get(`/api/v1/comps?q=${encodeURIComponent(TITLE)}`)
    // The process that estimates is started by the first title; until it has read the sales, calls
    // may be refused.
    while (rest.status === 503) rest = await api.get(`/api/v1/comps?q=${encodeURIComponent(TITLE)}`)
    const { structured, text } = await callTool(api, 'sold_comps', { q: TITLE, detail: 'long' })
    expect(structured).toEqual(asToolGives('sold_comps', rest.body))
    expect(structured).toMatchObject({
      data: { sold_count: 12, appraisal: { max_bid_cents: expect.any(Number) } },
    })
    expect(text).toMatch(/^appraisal: estimated_value_cents \d+ \(\$/m)
  })

  it('says in about 300 tokens what decides a bid, unless more is wanted', async () => {
    const { response, structured, text } = await callTool(api, 'sold_comps', { listing_id: lot })
    const { data } = structured as unknown as { data: Record<string, object> }
    expect(JSON.stringify(response.body.result).length / 4).toBeLessThan(370)
    expect(Object.keys(data.appraisal!)).toEqual([
      ...['estimated_value_cents', 'likely_low_cents', 'likely_high_cents', 'confidence', 'grade'],
      'max_bid_cents',
    ])
    expect(data.comparables).toHaveLength(3)
    expect(text).toMatch(
      /^12 sales: median \$\S+, from \S+ to \S+\. Typical price about \$\S+, from similar sales; half .* for a margin of 25%\.\n- 2016 Ford/,
    )
    const market = await callTool(api, 'sold_comps', { category: 'vehicles' }, { key: null })
    expect(market.text).toMatch(/^12 sales: median \$\S+, from \S+ to \S+\.$/)
  })

  it('compares ten titles in one call, with the value and the highest bid of each, as REST has them', async () => {
    const titles = [TITLE, 'zzyzx qwvx', ...Array.from({ length: 8 }, (_, n) => `${TITLE} ${n}`)]
    const query = titles.map(title => `titles=${encodeURIComponent(title)}`).join('&')
    const rest = (await api.get(`/api/v1/comps?${query}`)).body
    const { titles: entries } = asToolGives('sold_comps', rest) as { titles: object[] }
    const long = await callTool(api, 'sold_comps', { titles, detail: 'long' })
    expect(long.structured).toEqual({ titles: entries })
    const { response, structured, text } = await callTool(api, 'sold_comps', { titles })
    const { estimated_value_cents, likely_low_cents, likely_high_cents, grade, max_bid_cents } =
      rest.titles[0].appraisal
    const appraisal = {
      estimated_value_cents,
      likely_low_cents,
      likely_high_cents,
      grade,
      max_bid_cents,
    }
    const { sold_count, median_cents } = rest.titles[0]
    const shown = (structured as unknown as { titles: object[] }).titles
    expect(shown.slice(0, 2)).toEqual([
      { title: TITLE, sold_count, median_cents, appraisal },
      { title: 'zzyzx qwvx', sold_count: 0, reason: rest.titles[1].reason },
    ])
    const lines = text.split('\n')
    expect([lines.length, lines[0]]).toEqual([11, 'Highest bids leave a margin of 25%.'])
    expect(lines[1]).toMatch(
      /^- 2016 Ford .*: typical price about \$\S+ \(from similar sales\); bid up to \$\S+$/,
    )
    expect(lines[2]).toBe(`- zzyzx qwvx: ${rest.titles[1].reason}`)
    expect(JSON.stringify(response.body.result).length / 4).toBeLessThan(1_000)
    const one = await callTool(api, 'sold_comps', { titles: TITLE })
    expect(one.structured).toMatchObject({ titles: [{ title: TITLE }] })
    const many = await callTool(api, 'sold_comps', { titles: Array(11).fill(TITLE) })
    expect(many.text).toMatch(
      /^invalid_request: "titles" must be 1 to 10 titles of 1 to 200 characters each\./,
    )
    const hidden = await callTool(api, 'sold_comps', { titles: [TITLE, 'a\0b'] })
    expect(hidden.text).toMatch(/^invalid_request: "titles" must not contain a NUL character/)
    const free = await callTool(api, 'sold_comps', { titles }, { key: await api.makeKey('free') })
    expect(free.text).toMatch(/^forbidden: The parameter "titles" needs a Pro key/)
  })

  it('says of a lot without a bid how often such lots end so', async () => {
    const [unbid] = await insertLots(api.sql, [
      { slug: 'lathe', title: 'Wood lathe', starting_bid_cents: 5_000, bids_known: true },
    ])
    await insertAppraisal(api.sql, { lot_id: unbid! })
    await api.sql`update lots set no_bid_chance = 0.42 where id = ${unbid!}`
    for (const [tool, sent] of [
      ['get_listing', { id: unbid }],
      ['sold_comps', { listing_id: unbid }],
    ] as const) {
      const { text } = await callTool(api, tool, sent)
      expect(text).toContain('4 of 10 such lots end without a bid: the opening price may win.')
    }
    const { structured } = await callTool(api, 'search_listings', { q: 'lathe' })
    expect(structured).toMatchObject({ data: [{ no_bid_chance: 0.42 }] })
  })

  it('says of a lot and of a title why no bid is advised, where none is', async () => {
    const [rough] = await insertLots(api.sql, [
      { slug: 'rough', title: 'Zamboni', value_grade: 'words', approximate_value_cents: 40_000 },
      { slug: 'bare', title: 'Quern', current_bid_cents: null, starting_bid_cents: null },
    ])
    await insertAppraisal(api.sql, { lot_id: rough!, grade: 'words' })
    const why = 'no bid advised: too few similar sales'
    const key = await api.makeKey('free')
    for (const by of [key, await api.makeKey('pro')])
      for (const [tool, sent] of [
        ['search_listings', { q: 'zamboni' }],
        ['get_listing', { id: 'rough' }],
      ] as const)
        expect((await callTool(api, tool, sent, { key: by })).text.toLowerCase()).toContain(why)
    const { text } = await callTool(api, 'sold_comps', { listing_id: rough })
    expect(text.toLowerCase()).toContain(why)
    expect(text).toMatch(/^No sale is similar; the prices of other lots: \d+ sales: median/)
    const bare = await callTool(api, 'search_listings', { q: 'quern' }, { key })
    expect(bare.text).toContain('no price: its source publishes none')
    expect(bare.text).toContain('no bid advised: no similar sales yet')
    expect((await callTool(api, 'get_listing', { id: 'bare' }, { key })).text).toContain(
      'worth: no bid advised: no similar sales yet',
    )
  })

  it('leaves out of a search the source_url of a demo lot, which is its own', async () => {
    const page = `${PUBLIC_URL}/listings/demo`
    await insertLots(api.sql, [{ slug: 'demo', title: 'Demo kiln', source_url: page }])
    const { structured } = await callTool(api, 'search_listings', { q: 'kiln' })
    const { data } = structured as unknown as { data: object[] }
    expect(data[0]).toMatchObject({ bidprowl_url: page })
    expect(data[0]).not.toHaveProperty('source_url')
  })

  it('is what the output schemas say, each property named', async () => {
    for (const [name, sent] of [
      ['sold_comps', { listing_id: lot }],
      ['sold_comps', { q: TITLE }],
      ['sold_comps', { q: TITLE, detail: 'long' }],
      ['sold_comps', { titles: [TITLE, 'zzyzx qwvx'] }],
      ['sold_comps', { titles: [TITLE, 'zzyzx qwvx'], detail: 'long' }],
      ['search_listings', { ids: `${lot},no-such-lot` }],
      ['sold_comps', { item: 'ford-f-150' }],
      ['sold_comps', { category: 'vehicles' }],
      ['flip_score', { id: lot }],
      ['get_listing', { id: lot }],
    ] as const)
      await callBySchema(api, name, sent)
  })

  it.each(['pro', 'pro_plus'] as const)(
    'gives %s the value, the band and the highest bid with the score',
    async plan => {
      const { body } = await api.get(`/api/v1/comps?listing_id=${lot}`)
      const { estimated_value_cents, likely_low_cents, likely_high_cents, max_bid_cents } =
        body.data.appraisal
      const key = await api.makeKey(plan)
      const { structured, text } = await callTool(api, 'flip_score', { id: 'bid-on' }, { key })
      const worth = { estimated_value_cents, likely_low_cents, likely_high_cents, max_bid_cents }
      expect(structured).toMatchObject({
        data: { ...worth, verdict: text, price_kind: 'current_bid' },
      })
      const [value, low, high] = Object.values(worth).map(cents =>
        wholeDollars(rounded(cents as number)),
      )
      const bid = wholeDollars(rounded(max_bid_cents, Math.floor))
      expect(text).toContain(
        `current bid $1,000, 3 bids. Now far below similar sales. Typical price about ${value}, from 12 similar sales; half of such lots close at ${low} to ${high}. Bid up to ${bid} for a margin of 25%.`,
      )
    },
  )

  it('is nowhere once the bids have passed it', async () => {
    const set = (note: string | null) =>
      api.sql`update lots set value_note = ${note} where slug = 'bid-on'`
    await set('bids_above')
    const key = await api.makeKey('pro')
    for (const name of ['flip_score', 'get_listing']) {
      const { structured, text } = await callTool(api, name, { id: 'bid-on' }, { key })
      expect(structured!.data).not.toHaveProperty('estimated_value_cents')
      expect(structured!.data).not.toHaveProperty('max_bid_cents')
      expect(text).not.toMatch(/Typical price|Bid up to|below similar sales/)
    }
    await set(null)
  })

  it('is on each lot, with the highest bid for a Pro key, and rounded for every other caller', async () => {
    const { body } = await api.get(`/api/v1/comps?listing_id=${lot}`)
    const { estimated_value_cents, max_bid_cents } = body.data.appraisal
    const search = { q: 'ford', sort: 'most_profit' }
    const [pro, free] = [await api.makeKey('pro'), await api.makeKey('free')]
    for (const [name, sent] of [
      ['search_listings', search],
      ['get_listing', { id: 'bid-on' }],
    ] as const) {
      const of = (answer: { structured?: unknown }) =>
        [(answer.structured as { data: object[] }).data].flat()[0]
      const paid = await callTool(api, name, sent, { key: pro })
      expect(of(paid)).toMatchObject({
        id: lot,
        estimated_value_cents,
        max_bid_cents,
      })
      expect(of(paid)).not.toHaveProperty('approximate_value_cents')
      expect(paid.text).toContain('from 12 similar sales')
      const shown = await callTool(api, name, sent, { key: free })
      expect(of(shown)).toMatchObject({ approximate_value_cents: rounded(estimated_value_cents) })
      expect(of(shown)).not.toHaveProperty('max_bid_cents')
      expect(shown.text).toMatch(/typical price about \$\S+ \(from similar sales\)/)
    }
    await api.sql`update lots set value_grade = 'words' where slug = 'no-bid'`
    const { text } = await callTool(api, 'search_listings', search, { key: pro })
    expect(text).toMatch(/typical price about \$\S+ \(rough guess, can be off 3×\)\n/)
    await api.sql`update lots set value_grade = 'comparables' where slug = 'no-bid'`
  })

  it('gives the rounded value too to a Pro key that asks for it', async () => {
    const sent = { q: 'ford', fields: 'approximate_value_cents' }
    const { structured } = await callTool(api, 'search_listings', sent, {
      key: await api.makeKey('pro'),
    })
    expect(structured!.data).toContainEqual(
      expect.objectContaining({ id: lot, approximate_value_cents: expect.any(Number) }),
    )
  })

  it('advises no bid on a lot that is over, or at a fixed price, nor one below the next bid', async () => {
    const key = await api.makeKey('pro')
    const textOf = async (name: string, sent: object) =>
      (await callTool(api, name, sent, { key })).text
    const texts = async () => [
      await textOf('search_listings', { ids: 'bid-on' }),
      await textOf('get_listing', { id: 'bid-on' }),
      await textOf('flip_score', { id: 'bid-on' }),
    ]
    for (const text of await texts()) expect(text).toMatch(/bid up to|room up to/i)
    await api.sql`update lots set current_bid_cents = current_bid_cents * 1000 where slug = 'bid-on'`
    for (const text of (await texts()).slice(1))
      expect(text).toMatch(/the next bid is already above/i)
    await api.sql`update lots set current_bid_cents = current_bid_cents / 1000 where slug = 'bid-on'`
    await api.sql`update lots set offer_kind = 'fixed_price' where slug = 'bid-on'`
    for (const text of await texts()) expect(text).not.toMatch(/bid up to/i)
    await api.sql`update lots set offer_kind = 'auction', is_open = false, outcome = 'withdrawn' where slug = 'bid-on'`
    for (const text of await texts()) expect(text).not.toMatch(/bid up to|room up to/i)
    expect((await texts())[2]).toMatch(/: withdrawn; last bid seen/)
    expect((await texts())[0]).not.toMatch(/ended/)
    await api.sql`update lots set is_open = true, outcome = null where slug = 'bid-on'`
  })

  it('gives them to no other caller', async () => {
    for (const key of [null, await api.makeKey('free')]) {
      const { structured, text } = await callTool(api, 'flip_score', { id: 'bid-on' }, { key })
      expect(text).toMatch(
        /^Room up to \$6,300; Flip Score \d+ of 100: current bid \$1,000, 3 bids\. Now far below similar sales\.$/,
      )
      const names = ['id', 'flip_score', 'price_kind', 'scored_at', 'verdict', 'lot']
      expect(Object.keys((structured as unknown as { data: object }).data)).toEqual(names)
      const without = await callTool(api, 'flip_score', { id: 'no-bid' }, { key })
      expect(without.text).toMatch(/^not_found: .*it has no price yet\. Call get_listing/)
    }
  })

  it('names the value of a lot without a price to a Pro key', async () => {
    const { isError, text } = await callTool(api, 'flip_score', { id: 'no-bid' })
    expect(isError).toBe(true)
    expect(text).toMatch(/^not_found: .*it has no price yet; its typical price is about \$/)
  })
})
