import { ApiError } from '../../domain/errors.ts'
import { count } from '../../domain/format.ts'
import { type Attempt, takeAttempts } from '../../infra/accounts/attempts.ts'
import type { Deps } from '../deps.ts'

/**
 * Counts an attempt against its rate limits.
 * @param reason the first sentence of the refusal.
 * @throws ApiError 429 with the wait when a limit is used up; then no limit counts the attempt.
 */
export async function assertAttempt(deps: Deps, reason: string, attempts: Attempt[]): Promise<void> {
  const waitSeconds = await deps.primary(sql => takeAttempts(sql, attempts, deps.now()))
  if (waitSeconds === 0) return
  const minutes = Math.ceil(waitSeconds / 60)
  const wait = minutes < 120 ? count(minutes, 'minute') : count(Math.ceil(minutes / 60), 'hour')
  throw new ApiError('burst_rate_exceeded', `${reason} Try again in ${wait}.`, {
    retryAfterSeconds: waitSeconds,
  })
}
