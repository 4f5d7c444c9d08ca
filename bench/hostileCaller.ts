import { setTimeout as sleep } from 'node:timers/promises'
import { type Call, startLoadGenerator } from './loadGenerator.ts'
import { searches } from './requests.ts'
import type { Server } from './servers.ts'

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
