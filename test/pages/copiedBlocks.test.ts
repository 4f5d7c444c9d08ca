import { describe, expect, it } from 'vitest'
import guides from '../../data/guides.json' with { type: 'json' }
import { serviceFor } from '../support/service/start.ts'

/** What a reader would have to fill in or take out first. */
const PLACEHOLDER =
  /<[A-Z][A-Z _-]*>|<your[^>]*>|(?<!\$)\{[a-z_]+\}|YOUR[_ -]|this service has none/
/** Hosts that are nobody's (RFC 2606, 6761). */
const RESERVED = /\b(example\.(com|org|net)|[\w-]+\.(example|test|invalid))\b/
/** The one thing that a page fills in itself, for whoever is signed in. */
const KEY = /bp_live_…/
/** Samples of data, whose hosts must be nobody's. */
const DATA = ['/docs/feed-format']

/** What has a button that copies it. */
function copiedIn(markup: string): string[] {
  const blocks = [...markup.matchAll(/<(pre|output)\b[^>]*>([\s\S]*?)<\/\1>/g)]
  return blocks.map(([, , block = '']) =>
    block
      .replace(/<[^>]*>/g, '')
      .replaceAll('&lt;', '<')
      .replaceAll('&gt;', '>')
      .replaceAll('&amp;', '&'),
  )
}

describe.each([
  ['with an address of agents', { signsInAgents: true }],
  ['without one', {}],
])('what the guides print to be copied, %s', (_what, options) => {
  const api = serviceFor({ linksToItself: true, ...options })
  const read = async (path: string) => (await fetch(api.address + path)).text()

  it('holds no placeholder and no reserved host', async () => {
    let seen = 0
    for (const { path, document } of guides) {
      if (!document || DATA.includes(path)) continue
      for (const block of copiedIn(await read(path))) {
        seen++
        expect([path, block.match(PLACEHOLDER)?.[0]]).toEqual([path, undefined])
        expect([path, block.match(RESERVED)?.[0]]).toEqual([path, undefined])
      }
    }
    expect(seen).toBeGreaterThan(30)
  })

  it('holds in each block of the agent endpoint the mark that becomes the key of the reader', async () => {
    const keyed = copiedIn(await read('/docs/mcp')).filter(block => /Bearer (?!\$)/.test(block))
    expect(keyed.length).toBeGreaterThan(3)
    for (const block of keyed) expect(block).toMatch(KEY)
  })
})

describe('the guide of agents', () => {
  const without = serviceFor({ linksToItself: true })
  const signing = serviceFor({ linksToItself: true, signsInAgents: true })
  const guideOf = async (api: typeof without) =>
    (await fetch(`${api.address}/docs/agents.md`)).text()

  it('says in its first line that nobody can sign in where there is no address for it, and prints no command', async () => {
    const [, , first = ''] = (await guideOf(without)).split('\n')
    expect(first).toContain('an agent cannot sign in')
    expect(first).toContain('AGENTS_URL')
    expect(await guideOf(without)).not.toMatch(/```|<output>|claude mcp add|none\)/)
  })

  it('prints the address and the commands where there is one', async () => {
    expect(await guideOf(signing)).toMatch(/<output>http[^<]*\/mcp<\/output>[\s\S]*claude mcp add/)
  })
})
