import { beforeEach, expect, vi } from 'vitest'
import { createLog } from '../../../src/infra/log.ts'
import { type Replication, startReplication, type TestServer } from '../database/replication.ts'
import { insertLots, type LotDraft } from '../lots/fixtures.ts'
import { shared } from '../run/shared.ts'
import { patiently, sampleOf } from './load.ts'
import { type RunningService, startService } from './service.ts'
import { keyMaker } from './start.ts'
import { METRICS_TOKEN } from './testSettings.ts'

/** Further behind than this, a replica of these tests is left out. */
export const MOST_LAG_MS = 1_500
export const HOUR_MS = 3_600_000

const UNLIMITED = { monthly: 10_000_000, perMinute: 10_000_000 }

/** What `/metrics` says of the places that lots are read at, by place. */
type PlaceMetrics = Record<'inUse' | 'lag' | 'reads', Record<string, number>>

/** A service on a primary with two streaming replicas, all of one test's own. */
interface ReplicatedService extends Replication {
  first: TestServer
  second: TestServer
  service: RunningService
  key: string
  /** Another service on the same primary. */
  startAnother(replicaUrls: string[]): Promise<RunningService>
  // biome-ignore lint/suspicious/noExplicitAny: bodies of any operation
  ask(path: string, at?: RunningService): Promise<{ status: number; body: any }>
  metrics(at?: RunningService): Promise<PlaceMetrics>
  isUsed(server: TestServer, at?: RunningService): Promise<boolean>
  untilUsed(...servers: TestServer[]): Promise<void>
  untilLeftOut(server: TestServer): Promise<void>
}

/** The name of a server in metrics. */
export const placeOf = ({ url }: TestServer) => new URL(url).host + new URL(url).pathname

let asked = 0
/** Every request another one, so that each is read and none remembered. */
export const newSearch = () => `/api/v1/listings?price_max=${1_000_000 + asked++}`

/** The replica takes no more changes, until it resumes. */
export const pause = ({ sql }: TestServer) => sql`select pg_wal_replay_pause()`
export const resume = ({ sql }: TestServer) => sql`select pg_wal_replay_resume()`

/** Inserts lots that are live for an hour, with a price. */
export function insertLive(server: TestServer, ...drafts: LotDraft[]): Promise<string[]> {
  const live = { starts_at: new Date(Date.now() - HOUR_MS), ends_at: new Date(Date.now() + HOUR_MS) }
  return insertLots(
    server.sql,
    drafts.map(draft => ({ current_bid_cents: 100_00, ...live, ...draft })),
  )
}

/** The replicated service of a file. Each test begins without lots, and with both replicas in use. */
export function replicatedService(): ReplicatedService {
  const all = shared(startReplicatedService)
  beforeEach(async () => {
    await all.primary.sql`delete from lots`
    await all.caughtUp()
    await all.untilUsed(all.first, all.second)
  })
  return all
}

async function startReplicatedService(): Promise<ReplicatedService> {
  const replication = await startReplication(2)
  const { primary } = replication
  const [first, second] = replication.replicas as [TestServer, TestServer]
  const key = await keyMaker(primary.sql)('enterprise', UNLIMITED)
  const startAnother: ReplicatedService['startAnother'] = replicaUrls =>
    startService(primary.url, createLog('silent'), { replicaUrls, replicaLagMs: MOST_LAG_MS })
  const service = await startAnother([first.url, second.url])
  const isUsed: ReplicatedService['isUsed'] = async (server, at = service) =>
    (await metricsOf(at)).inUse[placeOf(server)] === 1
  const untilUsed = (...servers: TestServer[]) =>
    vi.waitFor(
      async () => {
        for (const server of servers) expect(await isUsed(server)).toBe(true)
      },
      { timeout: 120_000, interval: 100 },
    )
  return {
    ...replication,
    first,
    second,
    service,
    key,
    startAnother,
    ask: async (path, { address } = service) => {
      const { status, body } = await patiently(() => sampleOf(address + path, key))
      return { status, body: body.startsWith('{') ? JSON.parse(body) : body }
    },
    metrics: (at = service) => metricsOf(at),
    isUsed,
    untilUsed,
    untilLeftOut: server =>
      vi.waitFor(async () => expect(await isUsed(server)).toBe(false), { timeout: 120_000, interval: 50 }),
    end: async () => {
      await service.close()
      await replication.end()
    },
  }
}

async function metricsOf({ address }: RunningService): Promise<PlaceMetrics> {
  const text = await (
    await fetch(`${address}/metrics`, { headers: { authorization: `Bearer ${METRICS_TOKEN}` } })
  ).text()
  const of = (name: string) =>
    Object.fromEntries(
      [...text.matchAll(new RegExp(`^${name}\\{place="([^"]*)"\\} (\\S+)$`, 'gm'))].map(
        ([, place, value]) => [place!, Number(value)],
      ),
    )
  return {
    inUse: of('surplus_replica_in_use'),
    lag: of('surplus_replica_lag_seconds'),
    reads: of('surplus_lot_reads_total'),
  }
}
