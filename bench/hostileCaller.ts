import { fork } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { type Call, startLoadGenerator } from './loadGenerator.ts'
import { searches } from './requests.ts'
import { mbOf, type Server } from './servers.ts'
import type { Attack } from './stranger.ts'

/** What the good caller saw in one phase. Times are milliseconds. */
interface Seen {
  calls: number
  p50: number
  p99: number
  /** Answers with status 503. */
  refused: number
  /** Answers with any other status than 200. */
  otherFailures: number
}

export interface HostileTimes {
  quiet: Seen
  beside: Seen
  hostileCalls: number
  hostileFailures: number
  seconds: number
}

const CONNECTIONS = 60
const SECONDS = 12

/**
 * A good caller who makes one cheap search after the other, quiet and then beside a hostile one: eight keys of one account,
 * 60 connections, each search a different exclusion of a word, which no index answers.
 */
export async function measureHostileCaller(
  service: Server,
  goodKey: string,
  hostileKeys: string[],
): Promise<HostileTimes> {
  const paths = searches(20_000, 31).filter(path => !/[?&](q|zip)=/.test(path))
  await callFor(service, goodKey, paths, 3)
  const quiet = await callFor(service, goodKey, paths, SECONDS)
  const generator = startLoadGenerator()
  const calls: Call[] = Array.from({ length: 20_000 }, (_, n) => ({
    path: `/api/v1/listings?q=${encodeURIComponent(`a or -zz${n}`)}`,
    headers: { authorization: `Bearer ${hostileKeys[n % hostileKeys.length]}` },
  }))
  const hostile = generator.flood({
    address: service.address,
    headers: {},
    calls,
    connections: CONNECTIONS,
    seconds: SECONDS + 2,
  })
  await sleep(1_000)
  const beside = await callFor(service, goodKey, paths, SECONDS)
  const { calls: hostileCalls, failures } = await hostile
  await generator.stop()
  return { quiet, beside, hostileCalls, hostileFailures: failures, seconds: SECONDS }
}

/** What a good caller saw beside a stranger without a key. Times are milliseconds. */
export interface StrangerTimes {
  who: string
  good: Seen
  healthP95: number
  /** The memory of the process at the end. */
  mb: number
  answers: number
  refused: number
}

const BESIDE_SECONDS = 8
const get = (path: string, header = '') => `GET ${path} HTTP/1.1\r\nHost: bench\r\n${header}\r\n`
const LIST = '{"jsonrpc":"2.0","id":1,"method":"tools/list"}'
const LIST_TOOLS = `POST /api/v1/mcp HTTP/1.1\r\nHost: bench\r\nContent-Type: application/json\r\nContent-Length: ${LIST.length}\r\n\r\n${LIST}`
const ATTACKS: [who: string, attack: Omit<Attack, 'address'>][] = [
  ['nobody', { connections: 0, pipelined: 0, request: '' }],
  [
    '1 connection, 1,000 pipelined `/nothing`',
    { connections: 1, pipelined: 1_000, request: get('/nothing') },
  ],
  ...[1, 4].map((connections): [string, Omit<Attack, 'address'>] => [
    `${connections} × 1,000 pipelined \`/llms-full.txt\` (br)`,
    { connections, pipelined: 1_000, request: get('/llms-full.txt', 'Accept-Encoding: br\r\n') },
  ]),
  ['60 connections, MCP `tools/list`', { connections: 60, pipelined: 1, request: LIST_TOOLS }],
  ['60 connections, `/openapi.yaml`', { connections: 60, pipelined: 1, request: get('/openapi.yaml') }],
  ['60 connections, `/docs?q=a+e+i`', { connections: 60, pipelined: 1, request: get('/docs?q=a+e+i') }],
  ['60 connections, `/nothing`', { connections: 60, pipelined: 1, request: get('/nothing') }],
  [
    '60 connections, wrong keys',
    {
      connections: 60,
      pipelined: 1,
      request: get('/api/v1/sources', 'Authorization: Bearer bp_live_wrong\r\n'),
    },
  ],
]

/** The good caller beside each attack of a stranger from the same address, and the health checks meanwhile. */
export async function measureStrangers(service: Server, goodKey: string): Promise<StrangerTimes[]> {
  const paths = searches(20_000, 37).filter(path => !/[?&](q|zip)=/.test(path))
  const measured: StrangerTimes[] = []
  for (const [who, attack] of ATTACKS) {
    const stranger = fork(fileURLToPath(new URL('stranger.ts', import.meta.url)), {
      execArgv: ['--import', 'tsx'],
    })
    stranger.send({ ...attack, address: service.address } satisfies Attack)
    await sleep(1_000)
    const [good, healthP95] = await Promise.all([
      callFor(service, goodKey, paths, BESIDE_SECONDS),
      checkHealth(service, BESIDE_SECONDS),
    ])
    stranger.send('what was answered')
    const [{ answers, refused }] = (await once(stranger, 'message')) as [{ answers: number; refused: number }]
    stranger.disconnect()
    await once(stranger, 'exit')
    const mb = mbOf(service.pid, 'VmRSS')
    measured.push({ who, good, healthP95, mb, answers, refused })
    process.stderr.write(
      `beside ${who}: ${good.calls} calls, ${good.refused} × 503, p99 ${good.p99.toFixed(0)} ms\n`,
    )
  }
  return measured
}

async function checkHealth({ address }: Server, seconds: number): Promise<number> {
  const times: number[] = []
  const until = performance.now() + seconds * 1_000
  for (let n = 0; performance.now() < until; n++) {
    const started = performance.now()
    await (await fetch(`${address}/${n % 2 === 0 ? 'healthz' : 'readyz'}`)).arrayBuffer()
    times.push(performance.now() - started)
    await sleep(100)
  }
  return times.toSorted((a, b) => a - b)[Math.floor(times.length * 0.95)] ?? Number.NaN
}

async function callFor({ address }: Server, key: string, paths: string[], seconds: number): Promise<Seen> {
  const times: number[] = []
  const statuses: number[] = []
  const until = performance.now() + seconds * 1000
  for (let started = performance.now(); started < until; started = performance.now()) {
    const path = paths.pop()
    if (!path) throw new Error('The good caller ran out of searches.')
    const answer = await fetch(address + path, { headers: { authorization: `Bearer ${key}` } })
    await answer.arrayBuffer()
    times.push(performance.now() - started)
    statuses.push(answer.status)
  }
  const sorted = times.toSorted((a, b) => a - b)
  const at = (share: number) =>
    sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN
  return {
    calls: times.length,
    p50: at(0.5),
    p99: at(0.99),
    refused: statuses.filter(status => status === 503).length,
    otherFailures: statuses.filter(status => status !== 503 && status !== 200).length,
  }
}
