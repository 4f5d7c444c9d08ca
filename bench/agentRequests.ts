// Plays sixteen requests that people make of an agent, over MCP with a Pro key, against the built
// program with demo data of its own, and prints the calls and tokens of each: node --import tsx
// bench/agentRequests.ts. A token is four characters of the result, text and structure.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startEmbedded } from '../src/infra/embedded/embeddedDatabase.ts'
import { createServers } from './servers.ts'

interface Result {
  content?: { text: string }[]
  structuredContent?: { data: { id: string }[] }
  isError?: boolean
}

/** Sends a message of JSON-RPC, and returns its result. */
type Send = (method: string, params: object) => Promise<Result>
/** Calls a tool. */
type Call = (name: string, sent: object) => Promise<Result>

const MOST_CALLS = 20
const MOST_TOKENS = 8_200
const CHARACTERS_OF_TOKEN = 4
const CHICAGO = { zip: '60601', radius_miles: 200 }

const TEN_TITLES = [
  ...['2016 Ford F-150', 'Panasonic Toughbook', 'John Deere Gator', 'Caterpillar skid steer'],
  ...[
    'Dell Latitude laptop',
    'diesel generator',
    'office chairs',
    '2014 Chevrolet Tahoe',
    'forklift',
  ],
  'Polaris ATV',
]

/** Ids of lots that the person has from elsewhere. */
type Known = (count: number) => Promise<string[]>

const REQUESTS: [
  request: string,
  play: (call: Call, send: Send, known: Known) => Promise<unknown>,
][] = [
  [
    'a skid steer under $8,000 near a ZIP code, and the most to bid',
    call =>
      call('search_listings', {
        q: 'skid steer',
        price_max: 8000,
        ...CHICAGO,
        sort: 'most_profit',
        per_page: 3,
      }),
  ],
  [
    'watch pickups in Texas under $5,000',
    call => call('search_listings', { q: 'pickup', state: 'TX', price_max: 5000, per_page: 3 }),
  ],
  [
    'which of three pickups is the best deal, and why',
    async call => {
      const { structuredContent } = await call('search_listings', {
        q: 'pickup',
        sort: 'most_profit',
        per_page: 3,
      })
      await call('flip_score', { id: structuredContent!.data[0]!.id })
    },
  ],
  ['what Toughbooks sell for', call => call('sold_comps', { q: 'Panasonic Toughbook laptop' })],
  [
    'what ends within 2 hours near a city',
    call => call('search_listings', { ...CHICAGO, closing_within_hours: 2, per_page: 5 }),
  ],
  [
    'trucks without bids under $1,000',
    call => call('search_listings', { q: 'truck', no_bids: true, price_max: 1000, per_page: 5 }),
  ],
  [
    'generators with a score of 80',
    call => call('search_listings', { q: 'generator', min_flip_score: 80, per_page: 5 }),
  ],
  [
    'laptops nearest a city',
    call => call('search_listings', { q: 'laptop', ...CHICAGO, sort: 'nearest', per_page: 3 }),
  ],
  [
    'vehicles in Texas against Ohio',
    async call => {
      for (const state of ['TX', 'OH']) await call('sold_comps', { category: 'vehicles', state })
    },
  ],
  [
    'whether $12,000 is fair for a 2018 Explorer',
    call => call('sold_comps', { q: '2018 Ford Explorer' }),
  ],
  [
    'how the bidding on a lot has gone',
    async call => {
      const { structuredContent } = await call('search_listings', {
        sort: 'most_bids',
        per_page: 1,
      })
      await call('get_listing', { id: structuredContent!.data[0]!.id })
    },
  ],
  [
    'which sources there are',
    (_call, send) => send('resources/read', { uri: 'surplus://sources' }),
  ],
  ['what is new since yesterday', call => call('search_listings', { sort: 'newest', per_page: 3 })],
  [
    'which of these three lots, and what to bid',
    async (call, _send, known) => {
      await call('search_listings', { ids: (await known(3)).join(',') })
    },
  ],
  ['compare ten titles', call => call('sold_comps', { titles: TEN_TITLES })],
  // The descriptions of the tools say where these are.
  ['past sales one by one', async () => {}],
]

const WRONG: object[] = [
  ...[
    { state: 'Texass' },
    { price_max: 'cheap' },
    { sort: 'cheapest' },
    { category: 'cars' },
    { zip: '606' },
    { zip: '00000' },
  ],
  ...[
    { max_price: 5 },
    { per_page: 500 },
    { no_bids: 'maybe' },
    { min_flip_score: 101 },
    { value_min: -1 },
    { sort: 'nearest' },
  ],
]

const folder = mkdtempSync(join(tmpdir(), 'surplus-agents-'))
const database = await startEmbedded({ dataFolder: folder })
const servers = createServers(folder)
try {
  await servers.surplus('demo')
  const { address } = await servers.service()
  const { key } = JSON.parse(
    await servers.surplus('keys', 'create', '--plan', 'pro', '--per-minute', '1000', '--json'),
  )
  await playAll(`${address}/api/v1/mcp`, key)
} finally {
  await servers.stopAll()
  await database.stop()
  rmSync(folder, { recursive: true, force: true })
}

async function playAll(url: string, key: string): Promise<void> {
  let [calls, characters] = [0, 0]
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  const send: Send = async (method, params) => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
    const { result } = (await (await fetch(url, { method: 'POST', headers, body })).json()) as {
      result: Result
    }
    calls += 1
    characters += JSON.stringify(result).length
    return result
  }
  const call: Call = async (name, sent) => {
    // The process that estimates titles is started by the first one.
    for (;;) {
      const result = await send('tools/call', { name, arguments: sent })
      if (!result.content?.[0]?.text.startsWith('unavailable')) return result
      ;[calls, characters] = [calls - 1, characters - JSON.stringify(result).length]
    }
  }
  const known: Known = async count => {
    const listed = await fetch(url.replace('/mcp', `/listings?q=pickup&per_page=${count}`), {
      headers,
    })
    const { data } = (await listed.json()) as { data: { id: string }[] }
    return data.map(({ id }) => id)
  }
  const total = { calls: 0, tokens: 0 }
  const show = (request: string) => {
    const tokens = Math.round(characters / CHARACTERS_OF_TOKEN)
    process.stdout.write(`${String(calls).padStart(3)} ${String(tokens).padStart(6)}  ${request}\n`)
    total.calls += calls
    total.tokens += tokens
    calls = characters = 0
  }
  process.stdout.write('calls tokens\n')
  for (const [request, play] of REQUESTS) {
    await play(call, send, known)
    show(request)
  }
  process.stdout.write(
    `${String(total.calls).padStart(3)} ${String(total.tokens).padStart(6)}  together; at most ${MOST_CALLS} and ${MOST_TOKENS}\n`,
  )
  if (total.calls > MOST_CALLS || total.tokens > MOST_TOKENS) process.exitCode = 1
  for (const wrong of WRONG) await call('search_listings', wrong)
  show('twelve wrong arguments')
}
