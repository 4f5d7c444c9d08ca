import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { beforeAll, describe, expect, it } from 'vitest'
import { createLog } from '../../../src/infra/log.ts'
import { insertLots } from '../../support/lots/fixtures.ts'
import { legacyRequest, MCP_PATH, modernRequest } from '../../support/mcp/mcp.ts'
import { manyCalls } from '../../support/service/load.ts'
import { serviceFor } from '../../support/service/start.ts'

const CALLS = 10_000
/** 500 bytes a call would be 5 MB; one server, transport or exchange that stays weighs more. */
const MOST_GROWTH_BYTES = 5_000_000

setFlagsFromString('--expose_gc')
const collectGarbage = runInNewContext('gc') as () => void

/**
 * What callers do, in turn: both eras, results, tool errors, JSON-RPC errors, notifications and
 * refused messages.
 */
const MESSAGES = [
  legacyRequest('tools/call', { name: 'get_listing', arguments: { id: 'one' } }),
  legacyRequest('tools/call', { name: 'get_listing', arguments: { id: 'none' } }),
  legacyRequest('tools/call', { name: 'no_such_tool' }),
  { jsonrpc: '2.0', method: 'notifications/initialized' },
  [legacyRequest('ping')],
].map(message => ({ message, headers: {} }))
const MODERN_MESSAGES = [
  modernRequest('tools/call', { name: 'get_listing', arguments: { id: 'one' } }),
  modernRequest('tools/call', { name: 'get_listing', arguments: { id: 5 } }),
  modernRequest('tools/call', { name: 'no_such_tool' }),
  modernRequest('server/discover'),
  modernRequest('subscriptions/listen', { notifications: { toolsListChanged: true } }),
]

describe('ten thousand calls of the agent endpoint', () => {
  // A log that is kept would grow.
  const api = serviceFor({ settings: { log: createLog('silent') } })
  beforeAll(() => insertLots(api.sql, [{ slug: 'one' }]))

  async function call(times: number): Promise<Set<number>> {
    const all = [...MESSAGES, ...MODERN_MESSAGES]
    const statuses = await manyCalls(times, 16, async index => {
      const { message, headers } = all[index % all.length]!
      const json = { 'content-type': 'application/json', ...headers }
      const answer = await api.ask({
        method: 'POST',
        path: MCP_PATH,
        headers: json,
        body: JSON.stringify(message),
      })
      return answer.status
    })
    return new Set(statuses)
  }

  async function heapBytes(): Promise<number> {
    for (let round = 0; round < 3; round++) {
      collectGarbage()
      await new Promise(resolve => setTimeout(resolve, 100))
    }
    return process.memoryUsage().heapUsed
  }

  it('leave nothing behind', async () => {
    await call(1_000)
    const before = await heapBytes()
    expect([...(await call(CALLS))].sort()).toEqual([200, 202, 400, 404])
    expect((await heapBytes()) - before).toBeLessThan(MOST_GROWTH_BYTES)
  })
})
