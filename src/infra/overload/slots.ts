import {
  type ApiError,
  ClientLeft,
  deadlinePassed,
} from '../../contract/errors.ts'
import type { Caller } from '../../domain/caller.ts'

/**
 * Runs work for a caller when a slot is free.
 * @throws ApiError 503 at the deadline; ClientLeft.
 */
export type RunInSlot = <T>(
  caller: Caller,
  work: () => Promise<T>,
) => Promise<T>

// Why: callers of a slow database, whose driver would run statements of calls that were refused; npx vitest
// run test/infra/connectionPool.test.ts
/**
 * Returns a function that runs work in the order in which it came, so much at
 * once. Work that still waits at the caller's deadline, or whose client has
 * left by its turn, never starts; running work holds its slot until it ends.
 * @param deadlineMs how long after its start a call is refused.
 * @param tookTooLong the refusal of work that runs at the deadline.
 */
export function createSlots(
  slots: number,
  deadlineMs: number,
  tookTooLong: () => ApiError,
): RunInSlot {
  const waiting = new Set<() => void>()
  let free = slots

  function serve() {
    for (const start of waiting) {
      if (free === 0) return
      free--
      waiting.delete(start)
      start()
    }
  }

  function release() {
    free++
    serve()
  }

  return (caller, work) => {
    const deadlineAt = caller.startedAt + deadlineMs
    const notServed = () =>
      deadlinePassed('The service is overloaded. Try again shortly.')
    return new Promise((resolve, reject) => {
      const deadline = setTimeout(
        () => reject(waiting.delete(start) ? notServed() : tookTooLong()),
        deadlineAt - performance.now(),
      )
      const start = () => {
        const settle = () => {
          clearTimeout(deadline)
          release()
        }
        if (caller.hasLeft() || performance.now() >= deadlineAt) {
          reject(caller.hasLeft() ? new ClientLeft() : notServed())
          settle()
        } else {
          void work().then(resolve, reject).finally(settle)
        }
      }
      waiting.add(start)
      serve()
    })
  }
}
