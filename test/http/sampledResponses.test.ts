import { expect, it } from 'vitest'
import { insertLots } from '../support/lots/fixtures.ts'
import { serviceFor } from '../support/service/start.ts'

const api = serviceFor({ settings: { responseValidationShare: 1 } })

it('logs a sampled response that the contract does not allow, with what is wrong, and no other', async () => {
  const always = { starts_at: '-infinity', ends_at: 'infinity' } as const
  await insertLots(api.sql, [{ slug: 'pump', title: 'Pump', state: 'TX', ...always }])
  const search = { method: 'GET', path: '/api/v1/listings?state=tx' }
  expect((await api.ask(search)).status).toBe(200)
  await api.sql`update lots set source_url = 'not an address'`
  expect((await api.ask(search)).status).toBe(200)
  await expect.poll(() => api.log()).toContain('a response violates the contract')
  const lines = api
    .log()
    .split('\n')
    .filter(line => line.includes('violates'))
  expect(lines.map(line => JSON.parse(line))).toMatchObject([
    { operationId: 'searchListings', status: 200, faults: [expect.stringContaining('/data/0/source_url')] },
  ])
})
