import { expect } from 'vitest'
import type { LongCommand } from '../run/commandLine.ts'

/** Waits until it serves. @throws Error with what it has said, when it ends before. */
export async function untilServing(serve: LongCommand, port: string): Promise<void> {
  let hasEnded = false
  void serve.exited.then(() => {
    hasEnded = true
  })
  const readiness = () => {
    if (hasEnded) throw new Error(`It ended: ${serve.said()}`)
    return fetch(`http://127.0.0.1:${port}/readyz`).then(({ status }) => status, String)
  }
  await expect.poll(readiness).toBe(200)
}
