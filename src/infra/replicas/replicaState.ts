import type { Sql } from '../postgres/database.ts'

/** What a server tells of itself that is said to be a replica. */
interface Told {
  is_replica: boolean
  system: string
  /** Bytes since the beginning of the log; null on a server that is no replica. */
  replayed: number | null
  version: number
}

/** Asks a replica how it stands. */
export async function tell(sql: Sql): Promise<Told> {
  const [told] = await sql<Told[]>`
    select
      pg_is_in_recovery() as is_replica,
      (select system_identifier::text from pg_control_system()) as system,
      pg_wal_lsn_diff(pg_last_wal_replay_lsn(), '0/0')::float8 as replayed,
      (select version from data_version) as version`
  return told!
}

/** Why what it told makes it no replica of ours; null when it is one. */
export function refusalOf(told: Told, system: string | null): string | null {
  if (!told.is_replica || told.replayed === null) return 'it is no replica: it takes writes of its own'
  if (system === null) return 'the primary has not been reached yet'
  return told.system === system ? null : 'it is a replica of another database'
}
