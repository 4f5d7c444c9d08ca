import { setTimeout as sleep } from 'node:timers/promises'

/** What is answered in time. @throws Error when nothing is. */
export async function withDeadline<T>(answer: Promise<T>, deadlineMs: number): Promise<T> {
  const inTime = new AbortController()
  const deadline = sleep(deadlineMs, undefined, { signal: inTime.signal }).then(() => {
    throw new Error(`nothing within ${deadlineMs} ms`)
  })
  deadline.catch(() => {})
  try {
    return await Promise.race([answer, deadline])
  } finally {
    inTime.abort()
  }
}
