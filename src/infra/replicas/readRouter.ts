import type { Caller } from '../../domain/caller.ts'
import type { ListingContext } from '../listings/columns.ts'
import type { Logger } from '../log.ts'
import { answerWithin } from '../overload/circuitBreaker.ts'
import type { Database } from '../postgres/database.ts'
import { clock, type ReadDataState } from '../postgres/dataVersion.ts'
import { type Clock, firstValue } from '../postgres/sql.ts'
import { openReplica, type ReplicaSettings, SYSTEM } from './replica.ts'

/** Runs a read with statements of one server, at one moment. */
type Read = <T>(caller: Caller, work: (context: ListingContext) => Promise<T>) => Promise<T>

/** Reads of lots, sources and sales, which may go to a replica. */
export type ReadRouter = ReturnType<typeof createReadRouter>

interface ReadRouterSettings extends Omit<ReplicaSettings, 'url' | 'onChange'> {
  db: Database
  /** None: every read goes to the primary. */
  replicaUrls: string[]
  dataState: ReadDataState
  publicUrl: string
  /** A fixed clock for tests. */
  now: () => Clock
  log: Logger
}

const LOOK_INTERVAL_MS = 1_000
const PRIMARY_DEADLINE_MS = 700
const PRIMARY = 'primary'

/** Opens the replicas and looks at each once a second, until it is ended. The log has each change, with its reason. */
export function createReadRouter(settings: ReadRouterSettings) {
  const { db, dataState, publicUrl, now, log } = settings
  let system: string | null = null
  const onChange: ReplicaSettings['onChange'] = ({ isUsed, ...facts }) =>
    isUsed ? log.info(facts, 'a replica is used') : log.warn(facts, 'a replica is left out')
  const replicas = settings.replicaUrls.map(url => openReplica({ ...settings, url, onChange }, () => system))
  const counts = new Map([PRIMARY, ...replicas.map(({ name }) => name)].map(server => [server, 0]))
  const counted = (server: string) => void counts.set(server, counts.get(server)! + 1)
  let turn = 0

  const readFrom =
    (pool: 'read' | 'export'): Read =>
    async (caller, work) => {
      const used = replicas.filter(replica => replica.isUsed())
      if (used.length > 0) {
        const state = await dataState()
        // The clock of the primary: whether a lot has ended must not depend on the server. Rounded up to the next millisecond, since a lot
        // that ends within this one has ended when the answer arrives.
        const moment = new Date(Math.ceil(state.now_ms))
        const first = turn++ % used.length
        for (const replica of [...used.slice(first), ...used.slice(0, first)]) {
          try {
            if (!(await replica.hasReached(state.version))) continue
            const answer = await replica.attempt(() =>
              replica[pool].run(caller, sql => work({ sql, publicUrl, now: clock(moment) })),
            )
            counted(replica.name)
            return answer
          } catch {
            // A replica that is away leaves the read to the next one. An error that it answered with, such as a conflict with what it
            // replays or a timeout, is for the primary to decide.
            if (replica.isUsed()) break
          }
        }
      }
      const answer = await db[pool].run(caller, sql => work({ sql, publicUrl, now: clock(now()) }))
      counted(PRIMARY)
      return answer
    }

  /** A failover may lead to another cluster; while the primary is away, the last one stands. */
  async function look() {
    const sql = db.read.sql()
    const read = firstValue<string>(sql`select ${SYSTEM}`)
    const found = await answerWithin(read, PRIMARY_DEADLINE_MS).catch(() => null)
    system = found ?? system
    await Promise.all(replicas.map(replica => replica.look()))
  }
  if (replicas.length > 0) void look()
  const timer = replicas.length > 0 ? setInterval(() => void look(), LOOK_INTERVAL_MS).unref() : undefined
  return {
    /**
     * Runs a read on the next replica whose data is as new as the primary's when the read was requested, and on the primary when there is
     * none. A failure of a replica is no failure of the read.
     * @throws ApiError 503 and ClientLeft as `createConnectionPool` says.
     */
    read: readFrom('read'),
    /** The same for an export, which may take longer. */
    export: readFrom('export'),
    /** Each server with the reads it has answered; a lag that is not known, or of the primary, is null. */
    servers: () => [
      { server: PRIMARY, isUsed: true, lagSeconds: null, reads: counts.get(PRIMARY)! },
      ...replicas.map(replica => ({
        server: replica.name,
        isUsed: replica.isUsed(),
        lagSeconds: replica.lagSeconds(),
        reads: counts.get(replica.name)!,
      })),
    ],
    end: async () => {
      clearInterval(timer)
      await Promise.all(replicas.map(replica => replica.end()))
    },
  }
}
