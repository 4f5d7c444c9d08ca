import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { NOW } from '../support/lots/fixtures.ts'
import { insertSearchWorld } from '../support/lots/searchWorld.ts'
import { CLIENT_KINDS, connectClient } from '../support/mcp/mcpClients.ts'
import { start, type TestService } from '../support/service/start.ts'
import { callsOf } from '../support/service/usage.ts'

const NAMES = ['search_listings', 'get_listing', 'sold_comps', 'flip_score']

describe('the agent endpoint and the official clients', () => {
  let api: TestService

  beforeAll(async () => {
    api = await start()
    await insertSearchWorld(api.sql)
  })
  beforeEach(async () => {
    api.clock.now = NOW
    await api.sql`truncate monthly_usage, burst_usage`
  })
  afterAll(() => api.close())

  it.each(CLIENT_KINDS)('lets %s connect, list the tools and call them without a key', async kind => {
    const client = await connectClient(kind, api.address)
    expect((await client.tools()).map(({ name }) => name)).toEqual(NAMES)
    // The client itself holds the answer against the output schema of the tool.
    const found = await client.call('search_listings', { state: 'IL' })
    expect(found.isError).toBeFalsy()
    expect(found.structuredContent).toMatchObject({ total: 1, data: [{ state: 'IL' }] })
    expect(client.instructions()).toContain('bidprowl_url')
    await client.close()
  })

  it.each(CLIENT_KINDS)(
    'lets %s call with a key, and the calls belong to the owner of the key',
    async kind => {
      const owner = `client ${kind}`
      const client = await connectClient(kind, api.address, await api.makeKey('free', { owner }))
      const before = await callsOf(api.sql, owner)
      await client.call('get_listing', { id: 'truck' })
      await client.call('search_listings', {})
      expect((await callsOf(api.sql, owner)) - before).toBe(2)
      await client.close()
    },
  )

  it.each(CLIENT_KINDS)(
    'tells %s what is wrong with a call, as a result that the model can read',
    async kind => {
      const client = await connectClient(kind, api.address)
      const { isError } = await client.call('get_listing', { id: 'no-such-lot' })
      expect(isError).toBe(true)
      await expect(client.call('no_such_tool', {})).rejects.toThrow(/-?32602|Unknown tool/)
      await client.close()
    },
  )
})
