import { ApiError } from '../../contract/errors.ts'
import type { Attempts } from '../../domain/accounts/limits.ts'
import { count } from '../../domain/format.ts'
import { firstValue, type SqlContext } from '../postgres/sql.ts'

interface Serving {
  primary<T>(work: (context: SqlContext) => Promise<T>): Promise<T>
}

/**
 * Counts one attempt on every limit, or on none of them when one is used up
 * (SQL function `take_attempts`).
 * @throws ApiError 429 with the wait until all of the limits allow another
 * attempt.
 */
export async function assertAttempt(
  { primary }: Serving,
  { reason, limits }: Attempts,
): Promise<void> {
  const waitSeconds = await primary(({ sql, now }) =>
    firstValue<number>(sql`select take_attempts(${sql.json(limits)}, ${now})`),
  )
  if (!waitSeconds) return
  const minutes = Math.ceil(waitSeconds / 60)
  const wait =
    minutes < 120
      ? count(minutes, 'minute')
      : count(Math.ceil(minutes / 60), 'hour')
  throw new ApiError('burst_rate_exceeded', `${reason} Try again in ${wait}.`, {
    retryAfterSeconds: waitSeconds,
  })
}
