import { describe, expect, it } from 'vitest'
import { contract } from '../support/contract/contract.ts'
import { legacyRequest } from '../support/mcp/mcp.ts'
import { serviceFor } from '../support/service/start.ts'

const reading = contract.operations.filter(({ method }) => method === 'get')

describe('a service whose database is away', () => {
  const away = serviceFor({ unreachable: true })

  it.each(reading)(
    '503 internal_error with Retry-After while the database cannot be reached ($operationId)',
    async ({ path, plan }) => {
      const asked = path === '/api/v1/comps' ? `${path}?state=IL` : path.replace('{id}', 'truck')
      const key = await away.makeKey(plan!)
      for (const answer of [await away.get(asked, { key }), await away.get(asked, { key })]) {
        expect([answer.status, answer.body.code]).toEqual([503, 'internal_error'])
        expect(Number(answer.headers['retry-after'])).toBeGreaterThanOrEqual(1)
        expect(answer.body.upgrade).toBeUndefined()
        expect(answer.text).not.toMatch(/ECONN|127\.0\.0\.1|nobody/)
      }
      expect((await away.get(asked, { key: null })).body.code, 'needs no database').toBe(
        'missing_api_key',
      )
      expect((await away.get(asked, { key: 'nonsense' })).body.code).toBe('invalid_api_key')
    },
  )

  it('503 while the database cannot be reached: callMcp, but listing the tools needs none', async () => {
    const call = legacyRequest('tools/call', { name: 'search_listings', arguments: {} })
    const list = legacyRequest('tools/list')
    const key = await away.makeKey('free')
    const answers = [
      await away.send('post', '/api/v1/mcp', { key: null, body: list }),
      await away.send('post', '/api/v1/mcp', { key: null, body: call }),
      await away.send('post', '/api/v1/mcp', { key, body: list }),
    ]
    expect(answers.map(({ status, body }) => [status, body.code])).toEqual([
      [200, undefined],
      [503, 'internal_error'],
      [503, 'internal_error'],
    ])
  })
})
