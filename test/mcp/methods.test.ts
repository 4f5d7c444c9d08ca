import { beforeAll, describe, expect, it } from 'vitest'
import { DAY, insertSales } from '../support/lots/fixtures.ts'
import { legacyRequest, modernRequest, post } from '../support/mcp/mcp.ts'
import { serviceFor } from '../support/service/start.ts'

const DEALS = 'Find good deals on trucks near 60601. Call search_listings with sort room: '

describe.each(['older', '2026-07-28'])('the resources and prompts, in the %s revision', era => {
  const api = serviceFor()

  beforeAll(async () => {
    const sale = {
      category: 'vehicles',
      item: 'ford-f-150',
      sold_at: new Date(Date.now() - 2 * DAY),
    }
    await insertSales(api.sql, Array(5).fill({ ...sale, final_bid_cents: 123_456 }))
    await api.sql`update sources set last_success_at = '2026-11-21T09:30:15Z' where source = 'hud'`
  })

  async function ask(
    method: string,
    params: Record<string, unknown> = {},
    key: string | null = null,
  ) {
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
    expect([uris, templates.resourceTemplates]).toEqual([
      ['surplus://items', 'surplus://sources'],
      [],
    ])
    expect(prompts.prompts.map(({ name }: { name: string }) => name)).toEqual([
      'find_deals',
      'what_to_bid',
    ])
  })

  it('say in one line each which items and sources REST has, at the cost of a call', async () => {
    for (const [name, line, most] of [
      ['items', 'ford-f-150: Ford F-150; 0 live, 5 sold, median $1,235', 12_000],
      ['sources', 'hud: HUD HomeStore; 0 live, loaded 2026-11-21T09:30Z', 6_000],
    ] as const) {
      const uri = `surplus://${name}`
      const { body, headers } = await ask('resources/read', { uri })
      const [content] = body.result.contents
      expect([content.uri, content.mimeType, headers['ratelimit-limit']]).toEqual([
        uri,
        'text/plain',
        '100',
      ])
      const { data } = await api.read(`/api/v1/${name}`)
      const lines: string[] = content.text.split('\n')
      const keys: string[] = data.map(
        ({ slug, source }: { slug?: string; source?: string }) => slug ?? source,
      )
      const written = lines.flatMap(one =>
        one.startsWith('Never loaded: ')
          ? one.slice('Never loaded: '.length).split(', ')
          : one.split(':')[0]!,
      )
      expect(written.toSorted()).toEqual(keys.toSorted())
      expect(lines).toContain(line)
      if (name === 'sources') expect(lines.at(-1)).toMatch(/^Never loaded: .*, mibid, /)
      expect(content.text.length).toBeLessThanOrEqual(most)
    }
  })

  it('the card of three tools is one small page, read for nothing with a key and without', async () => {
    const { body } = await ask('tools/list')
    const uri = 'ui://surplus/card'
    const cards = body.result.tools.map(({ _meta }: { _meta?: object }) => _meta)
    const meta = { ui: { resourceUri: uri }, 'ui/resourceUri': uri }
    expect(cards).toEqual([meta, meta, undefined, meta])
    const key = await api.makeKey('pro', { monthly: 100 })
    const remaining = async () =>
      Number((await ask('tools/list', {}, key)).headers['ratelimit-remaining'])
    const used = async () =>
      (await api.sql`select sum(used)::int as used from monthly_usage`)[0]!.used
    const left = await remaining()
    const before = await used()
    for (const sender of [null, key]) {
      const { status, body, headers } = await ask('resources/read', { uri }, sender)
      const [{ text, ...card }] = body.result.contents
      expect([status, headers['ratelimit-remaining']]).toEqual([
        200,
        sender ? String(left) : undefined,
      ])
      expect(card).toMatchObject({ uri, mimeType: 'text/html;profile=mcp-app' })
      expect(text).toMatch(/^<!doctype html>.*<symbol id="vehicles".*<\/html>\n$/s)
      expect(Buffer.byteLength(text)).toBeLessThanOrEqual(60_000)
    }
    await expect.poll(used).toBe(before)
    expect(await remaining()).toBe(left - 1)
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
