import type { Sql } from '../postgres/sql.ts'

/** How far the primary had written its log. */
interface Written {
  /** Which database cluster: it and its replicas share the number. */
  system: string
  /** Bytes since the beginning of the log. */
  position: number
}

/** How far the primary had written its log, second by second; from it follows how old the first record is that a replica lacks. */
export interface WrittenPositions {
  /** Reads the primary's position, and keeps it. */
  update(): Promise<void>
  /** The cluster; null until the primary has answered once. */
  system(): string | null
  /**
   * How far a replica is behind, in milliseconds: since when there is something that it has not replayed. Infinity when it has
   * not replayed anything that was seen to be written.
   */
  lagMs(replayedPosition: number): number
}

/** An hour of seconds: a replica that is further behind has an hour of lag, or has caught up with nothing. */
const KEPT = 3_600

/**
 * Times are of this process and positions of the log, so neither clocks that disagree nor a primary without writes (whose
 * replicas have an ever older `pg_last_xact_replay_timestamp()`) are taken for lag.
 */
export function createWrittenPositions(primary: () => Sql): WrittenPositions {
  const kept: { position: number; atMs: number }[] = []
  let system: string | null = null
  return {
    update: async () => {
      const written = await readWritten(primary())
      // After a failover to another cluster, or from a backup, the old positions mean nothing.
      if (written.system !== system || written.position < (kept.at(-1)?.position ?? 0)) kept.length = 0
      system = written.system
      kept.push({ position: written.position, atMs: performance.now() })
      if (kept.length > KEPT) kept.shift()
    },
    system: () => system,
    lagMs: replayed => {
      const missing = kept.findIndex(({ position }) => position > replayed)
      if (missing === -1) return kept.length === 0 ? Number.POSITIVE_INFINITY : 0
      return missing === 0 ? Number.POSITIVE_INFINITY : performance.now() - kept[missing]!.atMs
    },
  }
}

async function readWritten(primary: Sql): Promise<Written> {
  const [written] = await primary<Written[]>`
    select
      (select system_identifier::text from pg_control_system()) as system,
      pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')::float8 as position`
  return written!
}
