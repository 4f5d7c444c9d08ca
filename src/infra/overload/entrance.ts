import { createFairQueue } from './fairQueue.ts'
import { createLoad, type LoadLimits } from './load.ts'

/** How a call goes on after it has reached the entrance. */
export interface Admitted {
  /** It is its turn. The call ends with `leave`; calling it twice is harmless. */
  start(leave: () => void): void
  /** The process has too much to do, and its caller has most of it. */
  shed(): void
}

/**
 * Where every call enters. A caller has a few calls at work; its others wait in its own queue, and the queues are served in turn. When the
 * whole is too much, the caller with most work loses its newest waiting call, so no caller is shed for the work of another.
 */
// Earns: callers beside one that sends what costs nothing to send; npx vitest run test/hostile/entrance.test.ts
export function createEntrance(limits: LoadLimits) {
  const load = createLoad(limits)
  const queue = createFairQueue(limits.callsAtOnce, limits.callsPerCaller)
  return {
    /** @returns what takes the call out while it waits; afterwards it does nothing. */
    enter(caller: string, { start, shed }: Admitted): () => void {
      if (load.isOverloaded() && !queue.shedForSmaller(caller)) {
        shed()
        return () => {}
      }
      load.begin()
      let isWaiting = true
      const begin = (release: () => void) => {
        isWaiting = false
        let isOver = false
        start(() => {
          if (!isOver) load.end()
          isOver = true
          release()
        })
      }
      const drop = () => {
        if (isWaiting) load.drop()
        isWaiting = false
      }
      const leaveQueue = queue.enter(caller, begin, () => {
        drop()
        shed()
      })
      return () => {
        leaveQueue()
        drop()
      }
    },
  }
}
