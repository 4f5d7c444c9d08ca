import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { readConfig } from '../../src/config.ts'
import { KEYLESS } from '../../src/contract/plans.ts'
import { projectFile } from '../../src/contract/projectFile.ts'
import { placeholders } from '../../src/pages/docs/contractTables.ts'
import { guideMarkdown, readGuides } from '../../src/pages/docs/guides.ts'
import { contract } from '../support/contract/contract.ts'
import { MCP_PATH } from '../support/mcp/mcp.ts'
import { serviceFor } from '../support/service/start.ts'
import { PUBLIC_URL } from '../support/service/testSettings.ts'
import { readPage } from '../support/site/readPage.ts'

const { document } = contract
const SERVED = PUBLIC_URL + MCP_PATH

const values = placeholders(contract, 'support@surplus.example', {
  publicUrl: PUBLIC_URL,
  agentsUrl: null,
  sweepPlans: readConfig({}).sweepPlans,
})
const page = guideMarkdown(readGuides(values).find(({ path }) => path === '/docs/mcp')!)
const blocks = [...page.matchAll(/^```(\w+)\n(.*?)^```$/gms)].map(([, kind, text]) => ({
  kind: kind!,
  text: text!.trim(),
}))

/** Every address in what a client would read of a block: JSON parsed, shell words unquoted. */
function addressesIn(kind: string, text: string): string[] {
  if (kind === 'json') return addressesOf(JSON.parse(text))
  if (kind === 'text') return [text]
  return wordsOf(text).flatMap(word => addressesOf(word.startsWith('{') ? JSON.parse(word) : word))
}

function addressesOf(value: unknown): string[] {
  if (typeof value === 'string') return /^https?:/.test(value) ? [value] : []
  return typeof value === 'object' && value !== null
    ? Object.values(value).flatMap(addressesOf)
    : []
}

/** The words of one command line; a quote that is not closed, or a second line, is a fault. */
function wordsOf(command: string): string[] {
  expect(command).toMatch(/^(?:[^\s'"]+|'[^'\n]*'|"[^"\n]*"| )+$/)
  return [...command.matchAll(/'([^']*)'|"([^"]*)"|([^\s'"]+)/g)].map(
    ([, one, two, bare]) => one ?? two ?? bare!,
  )
}

describe('the guide to the agent endpoint', () => {
  const api = serviceFor()

  it('has a block for every common client', () => {
    for (const client of [
      'Claude Code',
      'Claude, web and desktop',
      'Cursor',
      'VS Code',
      'Any other client',
    ])
      expect(page).toContain(`### ${client}\n`)
    expect(blocks.length).toBeGreaterThan(7)
  })

  it.each(blocks)(
    'has a $kind block that parses and points at the served address: $text',
    ({ kind, text }) => {
      expect(addressesIn(kind, text)).toEqual([SERVED])
    },
  )

  it('has buttons that install the served address', async () => {
    const { html, words } = await readPage(`${api.address}/docs/mcp`)
    const [cursor, code, claude] = [...html.matchAll(/<a class="action" href="([^"]*)">/g)].map(
      ([, href]) => href!.replaceAll('&amp;', '&'),
    )
    const config = new URL(cursor!).searchParams.get('config')!
    expect(JSON.parse(Buffer.from(config, 'base64').toString())).toEqual({ url: SERVED })
    expect(JSON.parse(decodeURIComponent(code!.split('?')[1]!))).toEqual({
      name: 'surplus',
      type: 'http',
      url: SERVED,
    })
    expect(claude).toBe('https://claude.ai/settings/connectors')
    expect(html).toContain(`<output>${SERVED}</output>`)
    expect(words).not.toMatch(/surplus\.example|make run/)
  })

  it('has a curl line whose message is answered at the served path', async () => {
    const words = wordsOf(blocks.find(({ text }) => text.startsWith('curl'))!.text)
    const message = JSON.parse(words[words.indexOf('-d') + 1]!)
    const { body } = await api.send('post', new URL(SERVED).pathname, { key: null, body: message })
    expect(body.result.structuredContent.total).toBe(0)
  })

  it('tells the allowance of src/contract/plans.ts, as the contract does', () => {
    const { calls_per_month, calls_per_minute } = KEYLESS
    expect(page).toContain(`${calls_per_month} tool calls a month and ${calls_per_minute} a minute`)
    const described = document.paths?.[MCP_PATH]?.post?.description?.replace(/\s+/g, ' ')
    expect(described).toContain(`${calls_per_month} a month and ${calls_per_minute} a minute`)
  })
})

/** The example address of the service, as the contract names it. */
const EXAMPLE = new URL(MCP_PATH, document.info.termsOfService).href

describe('server.json', () => {
  const server = JSON.parse(readFileSync(projectFile('server.json'), 'utf8'))

  it('has the fields of a remote server that the registry documents (its schema of 2025-12-11), and no others', () => {
    const host = new URL(EXAMPLE).hostname.split('.').reverse().join('.')
    const words = expect.stringMatching(/^.{1,100}$/)
    const secret = { description: words, isRequired: false, isSecret: true }
    expect(server, 'the namespace is the host, turned around').toEqual({
      $schema: 'https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json',
      name: expect.stringMatching(`^${host}/[a-zA-Z0-9._-]+$`),
      title: words,
      description: words,
      version: document.info.version,
      websiteUrl: new URL(EXAMPLE).origin,
      remotes: [
        {
          type: 'streamable-http',
          url: EXAMPLE,
          headers: [
            {
              ...secret,
              name: 'Authorization',
              value: 'Bearer {api_key}',
              variables: { api_key: secret },
            },
          ],
        },
      ],
    })
  })
})
