import type { RateLimit } from '../../domain/accounts/limits.ts'
import type { Sql } from '../postgres/database.ts'
import { clock } from '../postgres/dataVersion.ts'

/** What is limited, and whose attempts are counted: a network, an address, an account. */
export interface Attempt {
  limits: RateLimit[]
  of: string
}

/**
 * Counts one attempt on every limit, or on none of them when one is used up (SQL function `take_attempts`).
 * @returns 0 when the attempt is allowed; otherwise the seconds until all of the limits allow another one.
 */
export async function takeAttempts(sql: Sql, attempts: Attempt[], now: Date | null): Promise<number> {
  const requested = attempts.flatMap(({ limits, of }) =>
    limits.map(({ name, most, seconds }) => ({ meter: `${name} ${of}`, most, seconds })),
  )
  const [row] = await sql<{ wait: number }[]>`
    select take_attempts(${sql.json(requested)}, ${clock(sql, now)}) as wait`
  return row?.wait ?? 0
}
