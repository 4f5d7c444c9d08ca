import { describe, expect, it } from 'vitest'
import { legacyRequest, modernRequest, post } from '../support/mcp/mcp.ts'
import { serviceFor } from '../support/service/start.ts'

const DEALS = 'Find good deals on trucks near 60601. Call search_listings with sort most_profit: '

describe.each(['older', '2026-07-28'])('the resources and prompts, in the %s revision', era => {
  const api = serviceFor()

  async function ask(method: string, params: Record<string, unknown> = {}, key: string | null = null) {
    const { message, headers } =
      era === 'older'
        ? { message: legacyRequest(method, params), headers: {} }
        : modernRequest(method, params)
    return post(api, message, { key, headers })
  }

  it('are listed without a key and at no cost', async () => {
    const [resources, templates, prompts] = await Promise.all(
      ['resources/list', 'resources/templates/list', 'prompts/list'].map(async method => {
        const { status, body, headers } = await ask(method)
        expect([status, headers['ratelimit-limit']]).toEqual([200, undefined])
        return body.result
      }),
    )
    const uris = resources.resources.map(({ uri }: { uri: string }) => uri)
    expect([uris, templates.resourceTemplates]).toEqual([['surplus://items', 'surplus://sources'], []])
    expect(prompts.prompts.map(({ name }: { name: string }) => name)).toEqual(['find_deals', 'what_to_bid'])
  })

  it.each(['items', 'sources'])('surplus://%s is the answer of REST, and costs a call', async name => {
    const uri = `surplus://${name}`
    const { body, headers } = await ask('resources/read', { uri })
    const [content] = body.result.contents
    expect([content.uri, content.mimeType, headers['ratelimit-limit']]).toEqual([
      uri,
      'application/json',
      '100',
    ])
    expect(JSON.parse(content.text)).toEqual(await api.read(`/api/v1/${name}`))
  })

  it('a prompt names the tools to call, and is refused without what it needs', async () => {
    const { body } = await ask('prompts/get', {
      name: 'find_deals',
      arguments: { what: 'trucks', zip: '60601' },
    })
    expect(body.result.messages).toMatchObject([{ role: 'user', content: { type: 'text' } }])
    expect(body.result.messages[0].content.text).toContain(DEALS)
    for (const params of [{ name: 'find_deals' }, { name: 'no_such' }, { name: '__proto__' }])
      expect((await ask('prompts/get', params)).body.error.code).toBe(-32_602)
  })

  it('an unknown resource is refused', async () => {
    const { body } = await ask('resources/read', { uri: 'surplus://nothing' })
    expect(body.error).toMatchObject({ code: -32_602, data: { uri: 'surplus://nothing' } })
  })
})
