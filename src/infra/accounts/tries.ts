import type { Allowance } from '../../domain/accounts/limits.ts'
import type { Sql } from '../postgres/database.ts'

/** A kind of try, and by whom or on what. */
export interface Try {
  allowances: Allowance[]
  of: string
}

/**
 * Takes one try of each kind, in the given order, up to the first that has none left (function `take_tries`).
 * @returns 0 when all were taken, or in how many seconds the one that refused begins anew.
 */
export async function takeTries(sql: Sql, tries: Try[], now: Date | null): Promise<number> {
  const asked = tries.flatMap(({ allowances, of }) =>
    allowances.map(({ name, most, seconds }) => ({ meter: `${name} ${of}`, most, seconds })),
  )
  const [row] = await sql<{ wait: number }[]>`
    select take_tries(${sql.json(asked)}, coalesce(${now?.toISOString() ?? null}::timestamptz, clock_timestamp())) as wait`
  return row?.wait ?? 0
}
