import { expect, it } from 'vitest'
import { insertLots, NOW } from '../support/lots/fixtures.ts'
import { legacyRequest } from '../support/mcp/mcp.ts'
import { serviceFor } from '../support/service/start.ts'
import { readPage } from '../support/site/readPage.ts'

const api = serviceFor({ now: NOW })

const FAULTS: [query: string, args: Record<string, unknown>][] = [
  ['page=two', { page: 'two' }],
  ['page=1.5', { page: 1.5 }],
  ['per_page=51', { per_page: 51 }],
  ['price_min=-1', { price_min: -1 }],
  ['price_min=cheap', { price_min: 'cheap' }],
  ['no_bids=perhaps', { no_bids: 'perhaps' }],
  ['category=boats', { category: 'boats' }],
  ['sort=best', { sort: 'best' }],
  ['zip=00000', { zip: '00000' }],
  [`q=${'x'.repeat(201)}`, { q: 'x'.repeat(201) }],
  ['q=%00', { q: '\0' }],
]

it('an unknown parameter is refused by REST and a tool, and dropped from the address of a page', async () => {
  const rest = await api.get('/api/v1/listings?catgory=vehicles')
  expect(rest.status).toBe(400)
  expect(await toolText({ catgory: 'vehicles' })).toBe(asToolSays(rest.body.error))
  const page = await api.get('/search?catgory=vehicles&state=TX', { key: null })
  expect([page.status, page.headers.location]).toEqual([302, '/search?state=TX'])
})

it.each(FAULTS)('%s has the same words through REST, a page and a tool', async (query, args) => {
  const error = await refusalOf(query, args)
  const page = await api.get(`/search?${query}`, { key: null })
  expect([page.status, page.body.error]).toEqual([400, error])
})

it('state=ILL is refused by REST and a page alike; a tool, which takes names too, has its own words', async () => {
  const rest = await api.get('/api/v1/listings?state=ILL')
  const page = await api.get('/search?state=ILL', { key: null })
  expect([rest.status, page.status, page.body.error]).toEqual([400, 400, rest.body.error])
  expect(await toolText({ state: 'ILL' })).toMatch(/^invalid_request: "state" takes one US state/)
})

it('zip=1234 has the same words through REST and a tool; a page, which takes a city too, has its own', async () => {
  expect(await refusalOf('zip=1234', { zip: '1234' })).toMatch(/^"zip" must be written like/)
  const page = await api.get('/search?zip=1234', { key: null })
  expect([page.status, page.body.error]).toEqual([
    400,
    expect.stringMatching(/^There is no city or ZIP code "1234"/),
  ])
})

it.each([
  ['page=0', { page: 0 }],
  ['price_min=9&price_max=1', { price_min: 9, price_max: 1 }],
])(
  '%s has the same words through REST and a tool, and a page puts it right',
  async (query, args) => {
    await refusalOf(query, args)
    expect((await api.get(`/search?${query}`, { key: null })).status).toBe(302)
  },
)

it.each([
  ['limit', 'per_page'],
  ['pageSize', 'per_page'],
  ['query', 'q'],
  ['search', 'q'],
  ['zipcode', 'zip'],
  ['radius', 'radius_miles'],
  ['price', 'price_max'],
  ['catgory', 'category'],
])('%s is refused with the name that is meant: %s', async (sent, meant) => {
  const error = await refusalOf(`${sent}=1`, { [sent]: 1 })
  expect(error).toBe(`Unknown parameter "${sent}". Did you mean "${meant}"?`)
})

it.each([
  ['category', 'cars', 'vehicles'],
  ['category', 'vehicle', 'vehicles'],
  ['sort', 'cheapest', 'price_low'],
])('%s=%s is refused with the value that is meant, everywhere: %s', async (name, sent, meant) => {
  const error = await refusalOf(`${name}=${sent}`, { [name]: sent })
  expect(error).toMatch(new RegExp(`^"${name}" must be one of .*\\. Did you mean "${meant}"\\?$`))
  const page = await api.get(`/search?${name}=${sent}`, { key: null })
  expect(page.body.error).toBe(error)
})

it('a source is named in any case, by REST, a page and a tool', async () => {
  await insertLots(api.sql, [{ slug: 'truck', title: 'Truck of GSA' }])
  for (const path of ['/api/v1/listings?source=GSA', '/api/v1/listings?source=gsa'])
    expect((await api.read(path)).total).toBe(1)
  expect((await api.read('/api/v1/changes?source=Gsa')).data).toHaveLength(1)
  expect((await readPage(`${api.address}/search?source=GSA`)).words).toContain('Truck of GSA')
  const params = { name: 'search_listings', arguments: { source: 'GSA' } }
  const { body } = await api.send('post', '/api/v1/mcp', {
    body: legacyRequest('tools/call', params),
  })
  expect(body.result.structuredContent.total).toBe(1)
})

it('a source that exists and was never loaded says so, on the site too', async () => {
  const { words } = await readPage(`${api.address}/search?source=MIBID`)
  expect(words).toContain('Michigan MiBid is tracked, but was never loaded here.')
})

/** The sentence with which REST and a tool refuse. */
async function refusalOf(query: string, args: object): Promise<string> {
  const rest = await api.get(`/api/v1/listings?${query}`)
  expect([rest.status, rest.body.code]).toEqual([400, 'invalid_request'])
  expect(await toolText(args)).toBe(asToolSays(rest.body.error))
  return rest.body.error
}

const asToolSays = (error: string) => `invalid_request: ${error} Fix the arguments and call again.`

async function toolText(args: object): Promise<string> {
  const params = { name: 'search_listings', arguments: args }
  const { body } = await api.send('post', '/api/v1/mcp', {
    body: legacyRequest('tools/call', params),
  })
  expect(body.result.isError).toBe(true)
  return body.result.content[0].text
}
