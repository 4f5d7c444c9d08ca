import type { Audience } from '../../domain/audience.ts'
import type { Database, Sql } from '../postgres/database.ts'
import type { DataState, ReadDataState } from '../postgres/dataVersion.ts'
import type { Replica } from './replica.ts'
import { withDeadline } from './withDeadline.ts'
import type { WrittenPositions } from './writtenPositions.ts'

/** Where a read runs, and the moment it is read at (null: the clock of that server). */
interface ReadPlace {
  sql: Sql
  now: Date | null
}

/** How one server of lots stands, for whoever watches. */
interface PlaceStatus {
  /** `primary`, or host, port and database of a replica. */
  place: string
  isUsed: boolean
  /** Null while it is not known, and of the primary, which has none. */
  lagSeconds: number | null
  /** How many reads it has answered. */
  reads: number
}

/** Reads of lots, sources and sales, which may go to a replica. */
export interface ReadLots {
  /**
   * Runs a read on the next replica whose data is as new as the primary's was when the read was asked for, and on the
   * primary when there is none. A failure of a replica is no failure of the read.
   * @param asOf the state of the data when the caller has read it for this request already.
   */
  read<T>(work: (place: ReadPlace) => Promise<T>, asOf?: DataState): Promise<T>
  /** The same for an export, which may take longer. */
  export<T>(work: (place: ReadPlace) => Promise<T>): Promise<T>
  /** The same reads for those who may leave: when all are gone they fail with `ClientLeft`, and their statement ends. */
  until(audience: Audience): ReadLots
  places(): PlaceStatus[]
  end(): Promise<void>
}

/** What reads go back to. */
export interface Primary {
  db: Database
  dataState: ReadDataState
  /** A fixed clock for tests. */
  now: () => Date | null
}

const LOOK_INTERVAL_MS = 1_000
const PRIMARY_DEADLINE_MS = 700
const PRIMARY = 'primary'

/** Looks at every replica once a second, until it is ended. */
export function createReadLots(
  { db, dataState, now }: Primary,
  replicas: Replica[],
  positions: WrittenPositions,
): ReadLots {
  const counts = new Map([PRIMARY, ...replicas.map(({ name }) => name)].map(place => [place, 0]))
  const counted = (place: string) => void counts.set(place, counts.get(place)! + 1)
  let turn = 0

  async function run<T>(
    pool: 'read' | 'export',
    work: (place: ReadPlace) => Promise<T>,
    asOf: DataState | undefined,
    audience: Audience | null,
  ): Promise<T> {
    const sqlOf = (server: Pick<Database, 'read' | 'export'>) =>
      audience ? server[pool].until(audience) : server[pool]
    const used = replicas.filter(replica => replica.isUsed())
    if (used.length > 0) {
      const state = asOf ?? (await dataState())
      const first = turn++ % used.length
      for (const replica of [...used.slice(first), ...used.slice(0, first)]) {
        const tried = await tryOn(replica, state, () => work({ sql: sqlOf(replica), now: momentOf(state) }))
        audience?.throwIfGone()
        if (tried === AWAY) continue
        if (tried === FAILED) break
        counted(replica.name)
        return tried.answer
      }
    }
    const answer = await work({ sql: sqlOf(db), now: now() })
    counted(PRIMARY)
    return answer
  }

  const stop = replicas.length > 0 ? lookEverySecond(replicas, positions) : () => {}
  const reads = (audience: Audience | null): ReadLots => ({
    read: (work, asOf) => run('read', work, asOf, audience),
    export: work => run('export', work, undefined, audience),
    until: reads,
    places: () => [
      { place: PRIMARY, isUsed: true, lagSeconds: null, reads: counts.get(PRIMARY)! },
      ...replicas.map(replica => ({
        place: replica.name,
        isUsed: replica.isUsed(),
        lagSeconds: replica.lagSeconds(),
        reads: counts.get(replica.name)!,
      })),
    ],
    end: async () => {
      stop()
      await Promise.all(replicas.map(replica => replica.end()))
    },
  })
  return reads(null)
}

/** The next replica may do. */
const AWAY = Symbol('away')
/** It answered with an error, such as a conflict with what it replays or a timeout: the primary has the last word. */
const FAILED = Symbol('failed')

async function tryOn<T>(
  replica: Replica,
  state: DataState,
  work: () => Promise<T>,
): Promise<{ answer: T } | typeof AWAY | typeof FAILED> {
  try {
    if (!(await replica.hasReached(state.version))) return AWAY
    return { answer: await replica.attempt(work) }
  } catch {
    return replica.isUsed() ? FAILED : AWAY
  }
}

/**
 * The clock of the primary, not of the replica's machine: whether a lot has ended must not depend on who is asked. To the
 * next millisecond, since a lot that ends within this one is over when the answer arrives.
 */
function momentOf(state: DataState): Date {
  return new Date(Math.ceil(state.now_ms))
}

function lookEverySecond(replicas: Replica[], positions: WrittenPositions): () => void {
  let isBusy = false
  const look = async () => {
    if (isBusy) return
    isBusy = true
    // A primary that is away has written nothing that a replica could lack.
    await withDeadline(positions.ask(), PRIMARY_DEADLINE_MS).catch(() => {})
    await Promise.all(replicas.map(replica => replica.look()))
    isBusy = false
  }
  void look()
  const timer = setInterval(() => void look(), LOOK_INTERVAL_MS)
  timer.unref()
  return () => clearInterval(timer)
}
