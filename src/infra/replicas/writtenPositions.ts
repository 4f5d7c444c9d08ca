import type { Sql } from '../postgres/sql.ts'

/** How far the primary had written its log. */
interface Written {
  /** Which database cluster: it and its replicas share the number. */
  system: string
  /** Bytes since the beginning of the log. */
  position: number
}

export type WrittenPositions = ReturnType<typeof createWrittenPositions>

/** An hour of seconds: a replica that is further behind has an hour of lag, or has caught up with nothing. */
const KEPT = 3_600

/**
 * How far the primary had written its log, second by second; from it follows how old the first record is that a replica lacks.
 * Times are of this process and positions of the log, so neither clocks that disagree nor a primary without writes (whose
 * replicas have an ever older `pg_last_xact_replay_timestamp()`) are taken for lag.
 */
export function createWrittenPositions(primary: () => Sql) {
  const kept: { position: number; atMs: number }[] = []
  let system: string | null = null
  return {
    /** Reads the primary's position, and keeps it. */
    update: async () => {
      const written = await readWritten(primary())
      // After a failover to another cluster, or from a backup, the old positions mean nothing.
      if (written.system !== system || written.position < (kept.at(-1)?.position ?? 0)) kept.length = 0
      system = written.system
      kept.push({ position: written.position, atMs: performance.now() })
      if (kept.length > KEPT) kept.shift()
    },
    /** The cluster; null until the primary has answered once. */
    system: () => system,
    /** Since when there is something that a replica has not replayed, in milliseconds; Infinity when it has replayed nothing that was seen. */
    lagMs: (replayed: number) => {
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
