import { connect } from 'node:net'
import { beforeAll, describe, expect, it } from 'vitest'
import { forOneTest } from '../support/run/shared.ts'
import { serviceFor } from '../support/service/start.ts'

const api = serviceFor()
let key: string

beforeAll(async () => {
  key = await api.makeKey('enterprise', { monthly: 1_000_000, perMinute: 1_000_000 })
})

const ask = (path: string) =>
  api.ask({ method: 'GET', path, headers: { authorization: `Bearer ${key}` } })

const GOOD_CALLS = 4
const get = (path: string, header = '') => `GET ${path} HTTP/1.1\r\nHost: a\r\n${header}\r\n`
const LIST = '{"jsonrpc":"2.0","id":1,"method":"tools/list"}'
const listTools = `POST /api/v1/mcp HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: ${LIST.length}\r\n\r\n${LIST}`

/**
 * Keeps a number of unanswered copies of one request on each of some connections, until it is
 * ended.
 */
function flood(connections: number, backlogOnEach: number, request: string, address = api.address) {
  const { hostname, port } = new URL(address)
  const statuses: string[] = []
  const sockets = Array.from({ length: connections }, () => {
    const socket = connect(Number(port), hostname, () =>
      socket.write(request.repeat(backlogOnEach)),
    )
    socket.setEncoding('latin1')
    socket.on('error', () => {})
    socket.on('data', text => {
      const answered = [...String(text).matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(
        ([, status]) => status!,
      )
      statuses.push(...answered)
      socket.write(request.repeat(answered.length))
    })
    return socket
  })
  return {
    statuses,
    backlog: connections * backlogOnEach,
    end: () => sockets.map(each => each.destroy()),
  }
}

describe.each<
  [who: string, connections: number, backlogOnEach: number, request: string, status: string[]]
>([
  ['1,000 pipelined requests of one connection', 1, 1_000, get('/nothing'), ['404', '429']],
  [
    'pipelined requests of a long text',
    1,
    1_000,
    get('/llms-full.txt', 'Accept-Encoding: br\r\n'),
    ['200'],
  ],
  ['four connections of that', 4, 250, get('/llms-full.txt', 'Accept-Encoding: br\r\n'), ['200']],
  ['60 connections that list the tools', 60, 50, listTools, ['200']],
  ['60 connections that read the contract', 60, 50, get('/openapi.yaml'), ['200']],
  [
    '60 connections with wrong keys',
    60,
    50,
    get('/api/v1/sources', 'Authorization: Bearer bp_live_x\r\n'),
    ['401'],
  ],
  ['64 connections of health checks', 64, 50, get('/healthz'), ['200']],
  ['60 connections to pages that are not there', 60, 50, get('/nothing'), ['404', '429']],
  ['nearly as many connections as an address may have', 240, 8, get('/nothing'), ['404', '429']],
])('a stranger with %s', (_who, connections, backlogOnEach, request, expected) => {
  it('is served in turn with a caller who has a key, who is never refused', async () => {
    expect((await ask('/api/v1/sources')).status).toBe(200)
    const stranger = await forOneTest(flood(connections, backlogOnEach, request))
    await expect.poll(() => stranger.statuses.length).toBeGreaterThan(0)
    for (let n = 0; n < GOOD_CALLS; n++) {
      const before = stranger.statuses.length
      expect((await ask(`/api/v1/sources?n=${n}`)).status).toBe(400)
      // Behind the stranger's work, the call would have been answered after all of its backlog.
      expect(stranger.statuses.length - before, 'answers before the good call').toBeLessThan(
        stranger.backlog,
      )
    }
    // On a busy machine, a call of the stranger may wait longer than a call may.
    expect(stranger.statuses.filter(status => ![...expected, '503'].includes(status))).toEqual([])
  })
})

describe('strangers from many networks', () => {
  const proxied = serviceFor({ settings: { trustProxyHops: 1 } })
  const CALLS = 12

  it.each<[string, (n: number) => string]>([
    ['the 256 blocks of one IPv6 /56', n => `2001:db8:0:${(0x500 + n).toString(16)}::1`],
    ['256 IPv4 addresses', n => `198.51.${n % 2 ? 100 : 101}.${n}`],
  ])('from %s never make the entrance refuse a caller who has a key', async (_, addressOf) => {
    const goodKey = await proxied.makeKey('enterprise', {
      monthly: 1_000_000,
      perMinute: 1_000_000,
    })
    const good = () =>
      proxied.ask({
        method: 'GET',
        path: '/api/v1/sources',
        headers: { authorization: `Bearer ${goodKey}` },
      })
    const isShed = ({ status, headers, body }: Awaited<ReturnType<typeof good>>) =>
      status === 503 && headers['ratelimit-limit'] === undefined && body.includes('overloaded')
    expect((await good()).status).toBe(200)
    const floods = Array.from({ length: 256 }, (_unused, n) =>
      flood(2, 2, get('/nothing', `X-Forwarded-For: ${addressOf(n)}\r\n`), proxied.address),
    )
    try {
      await expect.poll(() => floods.some(({ statuses }) => statuses.length > 0)).toBe(true)
      const answers = []
      for (let n = 0; n < CALLS; n++) answers.push(await good())
      // A busy machine may not answer in time. The entrance refuses before a call is counted.
      expect(answers.filter(isShed)).toEqual([])
      expect(answers.map(({ status }) => status)).toContain(200)
    } finally {
      for (const each of floods) each.end()
    }
  })
})
