import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { beforeAll, describe, expect, it } from 'vitest'
import { PLAN_IDS } from '../../src/contract/plans.ts'
import { outdateAnswers } from '../support/database/database.ts'
import { insertLots, insertSales } from '../support/lots/fixtures.ts'
import { legacyRequest, MCP_PATH, modernRequest } from '../support/mcp/mcp.ts'
import { send } from '../support/service/rawHttp.ts'
import { serviceFor } from '../support/service/start.ts'
import { callsOf } from '../support/service/usage.ts'

const CALLERS = 200

const api = serviceFor()

beforeAll(async () => {
  const always = { starts_at: '-infinity' as const, ends_at: 'infinity' as const }
  await insertLots(
    api.sql,
    Array.from({ length: CALLERS }, (_, n) => ({ slug: `lot-${n}`, title: `Lot ${n}`, ...always })),
  )
  const recently = new Date(Date.now() - 86_400_000)
  await insertSales(
    api.sql,
    [1, 2, 3, 4, 5].map(n => ({ item: 'ford-f-150', sold_at: recently, final_bid_cents: n * 100 })),
  )
})

/** One call as a text, in the era of its turn, with the same JSON-RPC id as everybody else's. */
function asked(turn: number, name: string, sent: object) {
  const { message, headers } = modernRequest('tools/call', { name, arguments: sent })
  const isModern = turn % 2 === 1
  return {
    headers: isModern ? headers : {},
    body: JSON.stringify(
      isModern ? message : legacyRequest('tools/call', { name, arguments: sent }),
    ),
  }
}

describe('two hundred calls at once with different keys', () => {
  it('give nobody the answer of another, nor the month or the plan of another', async () => {
    const callers = await Promise.all(
      Array.from({ length: CALLERS }, async (_, n) => {
        const plan = PLAN_IDS[n % PLAN_IDS.length]!
        return {
          n,
          plan,
          owner: `caller ${n}`,
          key: await api.makeKey(plan, { owner: `caller ${n}`, monthly: 1_000 + n }),
        }
      }),
    )
    const answers = await Promise.all(
      callers.map(async ({ n, key }) => {
        const { headers, body } =
          n % 5 === 0
            ? asked(n, 'sold_comps', { item: 'ford-f-150' })
            : asked(n, 'get_listing', { id: `lot-${n}` })
        const json = { 'content-type': 'application/json', authorization: `Bearer ${key}` }
        return send(api.address, {
          method: 'POST',
          path: MCP_PATH,
          headers: { ...json, ...headers },
          body,
        })
      }),
    )
    for (const { n, plan, owner } of callers) {
      const { status, headers, body } = answers[n]!
      const isAnswered = status !== 503 && !body.includes('"unavailable, ask again in')
      expect([n, status]).toEqual([n, status === 503 ? 503 : 200])
      const month = [headers['ratelimit-limit'], headers['ratelimit-remaining']]
      if (isAnswered) expect([n, month]).toEqual([n, [String(1_000 + n), String(999 + n)]])
      // A busy machine may refuse a call at its deadline; then it is given back.
      await expect.poll(() => callsOf(api.sql, owner)).toBe(isAnswered ? 1 : 0)
      if (!isAnswered) continue
      const { result } = JSON.parse(body)
      if (n % 5 !== 0) expect(result.structuredContent.data.title).toBe(`Lot ${n}`)
      else if (plan === 'free') expect(result.content[0].text).toMatch(/^forbidden/)
      else expect(result.structuredContent.data.item).toBe('ford-f-150')
    }
    expect(answers.map(({ status }) => status)).toContain(200)
  })
})

describe('a client that goes away', () => {
  // Each reading of the lots is counted: a search makes one, of its matches.
  beforeAll(async () => {
    await api.sql`create sequence reads`
    await api.sql`select nextval('reads')`
    await api.sql`alter table lots rename to all_lots`
    await api.sql`create view lots as select * from all_lots where (select nextval('reads')) > 0`
  })

  const reads = async () =>
    (await api.sql<{ n: number }[]>`select last_value as n from reads`)[0]!.n

  /** Finds nothing, so that one count for each of its eight filters follows. */
  const EMPTY = {
    q: 'unicorn',
    category: 'other',
    state: 'ZZ',
    source: 'none',

    price_min: 1,
    price_max: 2,
    no_bids: true,
    buy_now: true,
  }

  /**
   * Makes the call while its first statement has to wait, and leaves meanwhile, or stays. Returns
   * the reads.
   */
  async function readsOfCall(turn: number, leaves: boolean): Promise<number> {
    const key = await api.makeKey('enterprise')
    await outdateAnswers(api.sql)
    const { headers, body } = asked(turn, 'search_listings', EMPTY)
    const sent = {
      host: 'a',
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      ...headers,
    }
    const lines = Object.entries({ ...sent, 'content-length': Buffer.byteLength(body) }).map(
      ([name, value]) => `${name}: ${value}\r\n`,
    )
    const before = await reads()
    const socket = connect(Number(new URL(api.address).port), '127.0.0.1')
    socket.on('error', () => {})
    const answered = new Promise(resolve => socket.once('data', resolve))
    await api.sql.begin(async sql => {
      await sql`lock table all_lots in access exclusive mode`
      socket.write(`POST ${MCP_PATH} HTTP/1.1\r\n${lines.join('')}\r\n${body}`)
      await sleep(400)
      if (leaves) socket.destroy()
      // Long enough for PostgreSQL to notice, and shorter than the statement timeout.
      await sleep(700)
    })
    if (!leaves) await answered
    socket.destroy()
    await sleep(500)
    return (await reads()) - before
  }

  it.each([
    ['2025-11-25', 0],
    ['2026-07-28', 1],
  ])(
    'ends its work: no statement runs after the one that was under way (%s)',
    async (_era, turn) => {
      // Its search and a count without each filter. PostgreSQL plans how often the words and the
      // sources read them too.
      expect(await readsOfCall(turn, false), 'who stays').toBeGreaterThanOrEqual(
        1 + Object.keys(EMPTY).length,
      )
      // The search alone, whose plan may read the lots of the page too.
      expect(await readsOfCall(turn, true), 'who leaves').toBeLessThanOrEqual(3)
    },
  )
})
