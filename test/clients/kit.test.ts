import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { Webhook } from 'standardwebhooks'
import { beforeAll, describe, expect, it } from 'vitest'
import { projectFile } from '../../src/contract/projectFile.ts'
import { contract } from '../support/contract/contract.ts'
import { fromNow, HOUR, insertLots, insertSales, NOW } from '../support/lots/fixtures.ts'
import { temporaryFolder } from '../support/run/shared.ts'
import { serviceFor } from '../support/service/start.ts'

const run = promisify(execFile)
const api = serviceFor({ now: NOW, linksToItself: true })
let key: string

beforeAll(async () => {
  const lots = Array.from({ length: 60 }, (_, n) => ({
    slug: `truck-${n}`,
    title: `Truck ${n}`,
    category: 'vehicles' as const,
    current_bid_cents: 100_000,
    ends_at: fromNow((n + 1) * HOUR),
  }))
  await insertLots(api.sql, lots)
  await insertSales(api.sql, [
    { category: 'vehicles', sold_at: fromNow(-HOUR), final_bid_cents: 100_000 },
  ])
  key = await api.makeKey('pro_plus')
})

/**
 * One call of each operation of the contract, as the typed client makes it: its name, its status,
 * and the type of what came.
 */
const CALLS = contract.operations.map(({ operationId, method, path, hasBody, parameters }) => {
  const values: Record<string, string> = { id: 'truck-0', category: 'vehicles', cursor: 'latest' }
  const sent = (place: string) => {
    const known = parameters.filter(({ name, in: at }) => at === place && values[name])
    return known.length > 0
      ? Object.fromEntries(known.map(({ name }) => [name, values[name]]))
      : undefined
  }
  const options = {
    params: { path: sent('path'), query: sent('query') },
    body: hasBody ? { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} } : undefined,
    parseAs: operationId === 'exportListings' ? 'text' : undefined,
  }
  return `['${operationId}', await client.${method.toUpperCase()}('${path}', ${JSON.stringify(options)})]`
})

/** A plan without archives, and a lot without a score. */
const REFUSED: Record<string, number> = { listArchives: 403, getFlipScore: 404 }

/** What a stranger's program does with the client. */
const PROGRAM = `
import { changes, createSurplusClient, dataOf, exportCsv, pages, SurplusError, sync, verifyWebhook, type Listing } from 'surplus-auctions-client'
const [baseUrl = '', key = '', secret = '', headers = '', body = ''] = process.argv.slice(2)
const client = createSurplusClient({ baseUrl, key })
const lots: Listing[] = []
for await (const page of pages(client, { category: 'vehicles' })) lots.push(...page.data)
const { data } = dataOf(await client.GET('/api/v1/listings/{id}', { params: { path: { id: lots[0]!.id } } }))
let rows = 0
for await (const row of exportCsv(client, { category: 'vehicles' })) if (row.id) rows++
const copy: Listing[] = []
for await (const { listings, restarts, cursor } of sync(client, 'bad', { category: 'vehicles' }))
  if (restarts || cursor) copy.push(...listings)
let seen = 0
for await (const page of changes(client, process.argv[7]!, { per_page: 40 })) seen += page.data.length
const verified = await verifyWebhook(secret, JSON.parse(headers), body)
const forged = await verifyWebhook(secret, JSON.parse(headers), body + ' ').catch(error => error.message)
let calls = 0
const busy = createSurplusClient({
  baseUrl,
  key,
  fetch: request =>
    ++calls < 3 ? Promise.resolve(new Response('{}', { status: 429, headers: { 'Retry-After': '0' } })) : fetch(request),
})
const { response } = await busy.GET('/api/v1/sources')
const all = [${CALLS.join(', ')}] as const
const answer = dataOf(await client.POST('/api/v1/mcp', { body: { jsonrpc: '2.0', id: 'a', method: 'ping' } }))
const kind: string | undefined = (await changes(client, process.argv[7]!).next()).value?.data[0]?.kind
const refused = await pages(createSurplusClient({ baseUrl, key: 'x' })).next().catch(error => error)
console.log(JSON.stringify({
  lots: lots.length, rows, copy: copy.length, title: data.title, seen, verified: verified.type, forged, calls, status: response.status,
  all: all.map(([name, { response }]) => [name, response.status]), answer, kind: typeof kind,
  refused: refused instanceof SurplusError && [refused.status, refused.code],
}))
`

describe('the TypeScript client', () => {
  const folder = temporaryFolder()

  it('installs from /downloads into an empty folder, compiles there, and pages, follows, retries and verifies', async () => {
    await writeFile(join(folder, 'package.json'), '{ "type": "module" }')
    await writeFile(join(folder, 'use.ts'), PROGRAM)
    const install = ['install', '--prefer-offline', '--no-audit', '--no-fund', '--ignore-scripts']
    await run('npm', [...install, `${api.address}/downloads/surplus-auctions-client.tgz`], {
      cwd: folder,
    })
    const options =
      '--strict --target es2022 --lib es2023,dom --module nodenext --moduleResolution nodenext'
    const types = [
      '--typeRoots',
      projectFile('node_modules/@types'),
      '--types',
      'node',
      '--skipLibCheck',
    ]
    const compiler = projectFile('node_modules/typescript/bin/tsc')
    const compiling = [compiler, 'use.ts', ...options.split(' '), ...types]
    const faults = await run(process.execPath, compiling, { cwd: folder }).catch(error => error)
    expect(faults.stdout).toBe('')
    const secret = `whsec_${Buffer.from('a secret of 32 bytes for a test!').toString('base64')}`
    const body = '{"type":"test","title":"Düse"}'
    const [id, now] = ['msg_1', new Date()]
    const signature = `v1,AAAA ${new Webhook(secret).sign(id, now, body)}`
    const timestamp = String(Math.floor(now.getTime() / 1000))
    const headers = {
      'webhook-id': id,
      'webhook-timestamp': timestamp,
      'webhook-signature': signature,
    }
    const { next_cursor } = await api.read('/api/v1/changes?per_page=1')
    const { data } = await api.read(`/api/v1/changes?per_page=500&cursor=${next_cursor}`)
    const sent = [api.address, key, secret, JSON.stringify(headers), body, next_cursor]
    const { stdout } = await run(process.execPath, ['use.js', ...sent], { cwd: folder })
    expect(JSON.parse(stdout)).toEqual({
      lots: 60,
      rows: 60,
      copy: 60,
      title: 'Truck 0',
      seen: data.length,
      verified: 'test',
      forged: 'The signature of the webhook is not right.',
      calls: 3,
      status: 200,
      all: contract.operations.map(({ operationId }) => [operationId, REFUSED[operationId] ?? 200]),
      answer: { jsonrpc: '2.0', id: 'a', result: {} },
      kind: 'string',
      refused: [401, 'invalid_api_key'],
    })
  })
})

describe('what programs look for', () => {
  const read = async (path: string) => {
    const response = await fetch(api.address + path)
    return {
      status: response.status,
      type: response.headers.get('content-type'),
      text: await response.text(),
    }
  }

  it('is a catalog (RFC 9727) whose every link answers, and to which the first pages lead', async () => {
    for (const path of ['/', '/docs', '/.well-known/api-catalog'])
      for (const method of ['GET', 'HEAD']) {
        const { status, headers } = await fetch(api.address + path, { method })
        expect([status, headers.get('link')]).toEqual([
          200,
          `<${api.address}/.well-known/api-catalog>; rel="api-catalog"`,
        ])
      }
    const robots = (await read('/robots.txt')).text
    expect(robots).toContain('Allow: /api/v1/mcp/server-card')
    const { status, type, text } = await read('/.well-known/api-catalog')
    expect([status, type]).toEqual([
      200,
      'application/linkset+json; profile="https://www.rfc-editor.org/info/rfc9727"',
    ])
    const links = [...text.matchAll(/"href":"([^"]+)"/g)].map(([, href]) => href!)
    expect(links.length).toBeGreaterThan(8)
    for (const href of links) expect([href, (await fetch(href)).status]).toEqual([href, 200])
  })

  it('is an index of skills with their digests, and a card of the MCP server', async () => {
    const { skills } = JSON.parse((await read('/.well-known/agent-skills/index.json')).text)
    expect(skills.map(({ name }: { name: string }) => name)).toEqual([
      'find-a-deal',
      'value-a-thing',
    ])
    for (const { name, url, digest, description } of skills) {
      const { text } = await read(url)
      expect(text).toContain(`name: ${name}\ndescription: ${description}\n`)
      expect(text).not.toContain('{base_url}')
      expect(digest).toBe(`sha256:${createHash('sha256').update(text).digest('hex')}`)
    }
    const card = await read('/api/v1/mcp/server-card')
    expect(card.type).toBe('application/mcp-server-card+json')
    expect(JSON.parse(card.text)).toMatchObject({
      name: 'example.surplus/auctions',
      remotes: [{ type: 'streamable-http', url: `${api.address}/api/v1/mcp` }],
    })
    expect(card.text).not.toMatch(/surplus\.example\//)
  })
})
