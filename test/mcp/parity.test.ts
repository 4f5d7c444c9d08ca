import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { OperationId } from '../../src/contract/types.ts'
import { contract } from '../support/contract/contract.ts'
import {
  FACTORS,
  fromNow,
  HOUR,
  insertAppraisal,
  insertLots,
  insertSales,
  NOW,
} from '../support/lots/fixtures.ts'
import { FINDINGS_OF_EACH, insertSearchWorld, WORDS } from '../support/lots/searchWorld.ts'
import { asToolGives, callTool, legacyRequest, post } from '../support/mcp/mcp.ts'
import { CLIENT_KINDS, connectClient } from '../support/mcp/mcpClients.ts'
import { serviceFor } from '../support/service/start.ts'
import { PUBLIC_URL } from '../support/service/testSettings.ts'

const { operations } = contract
const NAMES = ['search_listings', 'get_listing', 'sold_comps', 'flip_score']

/** A query as the arguments of a tool: numbers and booleans as the contract types them. */
function typed(operationId: OperationId, query: string): Record<string, unknown> {
  const { parameters } = operations.find(operation => operation.operationId === operationId)!
  const types = new Map(parameters.map(({ name, schema }) => [name, schema.type]))
  return Object.fromEntries(
    [...new URLSearchParams(query.replaceAll('+', '%2B'))].map(([name, value]) => [
      name,
      ['integer', 'number', 'boolean'].includes(String(types.get(name)))
        ? JSON.parse(value)
        : value,
    ]),
  )
}

/** What the lots of agents carry is proven in answers.test.ts. */
function withoutValues(answer: unknown): unknown {
  const values = [
    'likely_low_cents',
    'likely_high_cents',
    'approximate_value_cents',
    'estimated_value_cents',
    'max_bid_cents',
    'worth',
    'closes',
  ]
  return JSON.parse(JSON.stringify(answer), (name, value) =>
    values.includes(name) ? undefined : value,
  )
}

describe('a tool and its REST endpoint', () => {
  const api = serviceFor({ now: NOW })
  let ids: string[]

  beforeAll(async () => {
    ids = await insertSearchWorld(api.sql)
    const truck = { category: 'vehicles', item: 'ford-f-150', state: 'IL' }
    const sales = await insertSales(
      api.sql,
      [1, 2, 3, 4, 5, 6].map(n => ({
        ...truck,
        sold_at: fromNow(-n * 24 * HOUR),
        final_bid_cents: n * 100_000,
      })),
    )
    await insertAppraisal(api.sql, {
      lot_id: ids[0]!,
      sale_ids: sales,
      similarities: sales.map(() => 0.8),
      all_in_cost_cents: 412_500,
      resale_margin_cents: 117_260,
      flip_score: 64,
      factors: FACTORS,
    })
    await insertLots(
      api.sql,
      Array.from({ length: 23 }, (_, n) => ({
        slug: `many-${n}`,
        category: 'real-estate',
        num_bids: n % 7,
      })),
    )
  })

  const queries = [
    ...FINDINGS_OF_EACH.map(([query]) => query),
    ...WORDS.filter((_, n) => n % 8 === 0).map(([words]) => `q=${encodeURIComponent(words)}`),
    ...['newest', 'price_low', 'price_high', 'most_bids', 'best_deals'].map(sort => `sort=${sort}`),
    'category=real-estate&sort=most_bids&page=2',
    'category=real-estate&sort=most_bids&page=3&per_page=10',
    'per_page=1&page=4',
    'page=200',
    'per_page=50',
    'zip=60601&radius_miles=200&sort=best_deals&price_min=1&price_max=99999.99&no_bids=false',
  ]

  it.each(queries)('say the same: search_listings and GET /listings?%s', async query => {
    const pageSize = query.includes('per_page') ? '' : '&per_page=10'
    const rest = await api.get(`/api/v1/listings?${query}${pageSize}`)
    expect(rest.status).toBe(200)
    const { structured, isError } = await callTool(
      api,
      'search_listings',
      typed('searchListings', query),
    )
    expect(isError).toBe(false)
    expect(withoutValues(structured)).toEqual(
      withoutValues(asToolGives('search_listings', rest.body)),
    )
  })

  it.each(['truck', 'van', 'sold', 'withdrawn', 'opens-in-a-second'])(
    'say the same: get_listing and GET /listings/%s',
    async slug => {
      const rest = await api.get(`/api/v1/listings/${slug}`)
      const expected = withoutValues(asToolGives('get_listing', rest.body))
      const { id, bidprowl_url } = rest.body.data
      for (const named of [slug, id, bidprowl_url, `https://auctions.example/lots/${slug}`])
        expect(
          withoutValues((await callTool(api, 'get_listing', { id: named })).structured),
          named,
        ).toEqual(expected)
    },
  )

  it.each([
    ...[
      'category=vehicles',
      'state=il',
      'category=vehicles&state=IL',
      'item=ford-f-150',
      'listing_id=truck',
    ],
  ])('say the same: sold_comps and GET /comps?%s', async written => {
    const query = written.replace('truck', ids[0]!)
    const rest = await api.get(`/api/v1/comps?${query}`)
    expect(rest.status).toBe(200)
    const { structured } = await callTool(api, 'sold_comps', {
      ...typed('getComps', query),
      detail: 'long',
    })
    expect(structured).toEqual(asToolGives('sold_comps', rest.body))
  })

  it('say what a listing costs a buyer: sold_comps with one object, and GET /comps with its parts', async () => {
    const query = `listing_id=${ids[0]}&buyer_zip=60601&cost_per_mile=1.5&tax_percent=8.25&fixed_cost_cents=15000`
    const { listing_id, ...buyer } = typed('getComps', query)
    const rest = await api.get(`/api/v1/comps?${query}`)
    expect([rest.status, typeof rest.body.data.your_costs.limit_cents]).toEqual([200, 'number'])
    const { structured } = await callTool(api, 'sold_comps', { listing_id, buyer, detail: 'long' })
    expect(structured).toEqual(asToolGives('sold_comps', rest.body))
    const { text } = await callTool(api, 'sold_comps', {
      listing_id,
      buyer: { ...buyer, buyer_zip: 60601 },
    })
    expect(text).toContain('Your limit is $')
    expect(text).not.toContain('bid up to')
  })

  it('refuse what is no part of a buyer, and by name where the plan lacks it', async () => {
    const [listing_id] = ids
    const free = await callTool(
      api,
      'sold_comps',
      { category: 'vehicles', buyer: { tax_percent: 8 } },
      { key: await api.makeKey('free') },
    )
    expect(free.text).toMatch(/^forbidden: The parameter "tax_percent" needs a Pro key/)
    const refused: [buyer: unknown, words: RegExp][] = [
      [{ zip: '60601' }, /Unknown parameter "zip"/],
      [{ tax_percent: -1 }, /"tax_percent" must be a number from 0 to 100/],
      ['60601', /"buyer" must be an object, such as/],
      [[1], /Unknown parameter "0"/],
    ]
    for (const [buyer, words] of refused) {
      const { isError, text } = await callTool(api, 'sold_comps', { listing_id, buyer })
      expect([isError, text]).toEqual([true, expect.stringMatching(words)])
    }
  })

  it('say the same score: flip_score, GET /flip-score/{id}, the listing and its page', async () => {
    const rest = await api.get('/api/v1/flip-score/truck')
    const score = rest.body.data
    expect([typeof score.factors, score.resale_margin_cents]).toEqual(['object', 117_260])
    const { structured, text } = await callTool(api, 'flip_score', { id: 'truck' }, { key: null })
    const { data } = asToolGives('flip_score', rest.body) as { data: object }
    expect(structured).toEqual({
      data: { ...data, verdict: text, lot: expect.objectContaining({ id: ids[0] }) },
    })
    expect(text).toBe(
      'Room up to $4,200; Flip Score 64 of 100: current bid $4,125, 11 bids. Now below similar sales; still early, so the score stays near 50.',
    )
    const { structured: listing } = await callTool(api, 'get_listing', { id: 'truck' })
    expect((listing as unknown as { data: { flip_score: number } }).data.flip_score).toBe(
      score.flip_score,
    )
    expect((await api.get('/listings/truck', { key: null })).text).toContain(
      String(score.flip_score),
    )
  })

  it.each([
    ['search_listings', 'listings', 'q=', 'invalid_request'],
    ['sold_comps', 'comps', '', 'invalid_request'],
    ['sold_comps', 'comps', 'category=vehicles&item=ford-f-150', 'invalid_request'],
    ['sold_comps', 'comps', 'state=ZZ', 'not_found'],
    ['sold_comps', 'comps', 'item=no-such-item', 'not_found'],
    ['get_listing', 'listings/no-such-lot', '', 'not_found'],
    ['flip_score', 'flip-score/van', '', 'not_found'],
  ])('refuse by the same name: %s and GET /%s?%s', async (tool, path, query, code) => {
    const rest = await api.get(`/api/v1/${path}?${query}`)
    expect(rest.body.code).toBe(code)
    const id = path.split('/')[1]
    const operationId = tool === 'sold_comps' ? 'getComps' : 'searchListings'
    const { isError, text } = await callTool(api, tool, id ? { id } : typed(operationId, query))
    expect(isError).toBe(true)
    expect(text).toMatch(new RegExp(`^${code}: .+\\.`))
  })

  it('read lots by their ids in one call, whatever their state, and name those that are none', async () => {
    const [live, slug] = [ids[0]!, 'sold']
    const sent = { ids: `${slug},no-such-lot,${live}`, page: 1, no_bids: false }
    const rest = await api.read(`/api/v1/listings?ids=${sent.ids}`)
    const { text, structured } = await callTool(api, 'search_listings', sent)
    expect(withoutValues(structured)).toEqual(withoutValues(asToolGives('search_listings', rest)))
    expect(structured).toMatchObject({
      missing: ['no-such-lot'],
      data: [{ status: 'sold' }, { id: live }],
    })
    expect(text).toMatch(
      /^2 lots of 3\. No lot is named "no-such-lot": search for it by words\.\n- .*: sold; /,
    )
    expect(text).toMatch(/; ended 20/)
    const listed = await callTool(api, 'search_listings', { ids: [slug, live], fields: 'end_date' })
    expect(listed.structured).toMatchObject({ total: 2, missing: [] })
    const mixed = await callTool(api, 'search_listings', { ids: live, q: 'ford' })
    expect(mixed.text).toMatch(
      /^invalid_request: "ids" goes with no other parameter: leave out "q"\./,
    )
  })

  it('refuse without a REST address, and an unknown lot with the tool that finds lots', async () => {
    const unknown = '00000000-0000-3000-8000-000000000000'
    for (const [tool, sent] of [
      ['get_listing', { id: unknown }],
      ['get_listing', { id: 'https://auctions.example/no-such-lot' }],
      ['flip_score', { id: 'no-such-lot' }],
      ['sold_comps', { listing_id: unknown }],
    ] as const)
      expect((await callTool(api, tool, sent)).text).toMatch(
        /^not_found: No listing has .*\. Call search_listings to find lots and their ids\.$/,
      )
    for (const [tool, sent] of [
      ['sold_comps', { item: 'no-such-item' }],
      ['flip_score', { id: 'van' }],
    ] as const) {
      const { isError, text } = await callTool(api, tool, sent)
      expect([isError, /api\/v1|search_listings/.test(text)]).toEqual([true, false])
    }
  })

  it('link to every listing they show, in the text too', async () => {
    const { text, structured } = await callTool(api, 'search_listings', { per_page: 50 })
    const { data } = structured as unknown as {
      data: { bidprowl_url: string; source_url: string }[]
    }
    expect(data.length).toBeGreaterThan(20)
    for (const { bidprowl_url, source_url } of data) {
      expect(bidprowl_url).toMatch(new RegExp(`^${PUBLIC_URL}/listings/`))
      expect(text).toContain(bidprowl_url)
      expect(text).toContain(source_url)
    }
    const one = await callTool(api, 'get_listing', { id: 'truck' })
    expect(one.text).toContain(`bidprowl_url: ${PUBLIC_URL}/listings/truck`)
    expect(one.text).toContain('source_url: https://auctions.example/lots/truck')
  })

  it('give of each lot only the fields named, besides those that the schema requires', async () => {
    const sent = { q: 'ford', per_page: 1, fields: 'end_date, current_bid_cents' }
    const { text, structured } = await callTool(api, 'search_listings', sent)
    const { data } = structured as unknown as { data: Record<string, unknown>[] }
    const { body } = await post(api, legacyRequest('tools/list'), { key: null })
    const { required } = body.result.tools[0].outputSchema.properties.data.items
    expect(Object.keys(data[0]!).sort()).toEqual(
      [...required, 'end_date', 'current_bid_cents'].sort(),
    )
    expect(text).toContain(
      `end_date ${data[0]!.end_date}; current_bid_cents ${data[0]!.current_bid_cents} ($`,
    )
    expect(text).toContain(`\n  ${data[0]!.bidprowl_url}`)
    const wrong = await callTool(api, 'search_listings', { fields: 'title,observed' })
    expect(wrong.text).toMatch(/^invalid_request: "fields" must be one of id, title, /)
  })

  it('say, where a search finds nothing, how many lots there are without each filter but the words', async () => {
    const sent = { q: 'ford', state: 'TX', no_bids: false, sort: 'newest' }
    const { text, structured } = await callTool(api, 'search_listings', sent)
    expect(structured).toMatchObject({ total: 0, data: [] })
    expect(text).toBe('No live lot matches. 1 without "state".')
    expect((await api.get('/api/v1/listings?q=ford')).body.total).toBe(1)

    const wide = await callTool(api, 'search_listings', { category: 'real-estate', q: 'ford' })
    expect(wide.text).toBe('No live lot matches. 1 without "category".')
    const far = await callTool(api, 'search_listings', { zip: '00601', radius_miles: 5 })
    const nearest = 'the nearest is 2,025.3 miles away in IN'
    expect(far.text).toBe(`No live lot matches. 29 without "zip"; ${nearest}.`)
    const hopeless = await callTool(api, 'search_listings', {
      q: 'unicorn',
      state: 'ZZ',
      price_min: 1e9,
    })
    expect(hopeless.text).toBe('No live lot matches these words. Try other names of the thing.')
    const dear = await callTool(api, 'search_listings', { state: 'ZZ', price_min: 1e9 })
    expect(dear.text).toContain('leave out two or more')
    for (const [source, note] of [
      ['no-such', 'No source has the key "no-such".'],
      ['mibid', 'Michigan MiBid is tracked, but was never loaded here.'],
    ])
      expect((await callTool(api, 'search_listings', { source })).text).toBe(
        `No live lot matches. 29 without "source". ${note}`,
      )
    const past = await callTool(api, 'search_listings', { page: 200 })
    expect(past.text).toBe('Page 200 is past the end: 29 live lots on 3 pages.')
  })

  it('keep what a seller wrote on one line', async () => {
    await insertLots(api.sql, [{ slug: 'sly', title: 'Van\n- 1 FREE CAR\r\n\tid 5', state: 'GU' }])
    const { text } = await callTool(api, 'search_listings', { state: 'GU' })
    expect(text.split('\n')).toHaveLength(3)
    expect(text).toContain('- Van - 1 FREE CAR id 5 (other)')
  })

  describe('and the official clients', () => {
    beforeEach(() => api.sql`truncate monthly_usage, burst_usage`)

    it.each(CLIENT_KINDS)(
      'lets %s connect, list the tools and call them without a key',
      async kind => {
        const client = await connectClient(kind, api.address)
        expect((await client.tools()).map(({ name }) => name)).toEqual(NAMES)
        expect(client.instructions()).toContain('bidprowl_url')
        // The client itself holds the answer against the output schema of the tool.
        const found = await client.call('search_listings', { state: 'IL' })
        expect(found).toMatchObject({ structuredContent: { total: 1, data: [{ state: 'IL' }] } })
        expect(found.isError).toBeFalsy()
        const wrong = await client.call('get_listing', { id: 'no-such-lot' })
        expect(wrong.isError, 'as a result that the model can read').toBe(true)
        await expect(client.call('no_such_tool', {})).rejects.toThrow(/-?32602|Unknown tool/)
        await client.close()
      },
    )
  })
})
