import { ApiError } from '../../domain/errors.ts'
import { type Try, takeTries } from '../../infra/accounts/tries.ts'
import type { Deps } from '../deps.ts'

/** @throws ApiError 429 with the wait when one of the tries is not left; `why` begins its message. */
export async function takeTry(deps: Deps, why: string, tries: Try[]): Promise<void> {
  const waitSeconds = await deps.primary(sql => takeTries(sql, tries, deps.now()))
  if (waitSeconds === 0) return
  const minutes = Math.ceil(waitSeconds / 60)
  const wait =
    minutes < 120 ? `${minutes} minute${minutes === 1 ? '' : 's'}` : `${Math.ceil(minutes / 60)} hours`
  throw new ApiError('burst_rate_exceeded', `${why} Try again in ${wait}.`, {
    retryAfterSeconds: waitSeconds,
  })
}
