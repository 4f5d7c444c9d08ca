import type { Caller } from '../../domain/caller.ts'
import { type ApiError, ClientLeft, deadlinePassed } from '../../domain/errors.ts'

/** Starts waiting work; the work calls `release` when its slot is free again. Releasing twice is harmless. */
type Start = (release: () => void) => void

interface TenantQueue {
  /** The work that waits, and what refuses it instead. */
  waiting: Map<Start, () => void>
  running: number
}

/**
 * Each tenant has a queue of its own, and the queues are served in turn, so the work of one never waits behind all the work of
 * another. A tenant never holds more than `slotsOf` it, so others find a free slot at once.
 */
// Why: callers beside one that sends hundreds of calls at once; npx vitest run test/slow/faults/fairness.test.ts
export function createFairQueue(slots: number, slotsOf: (tenant: string) => number) {
  /** In the order of their turns: a tenant that was served goes last. Tenants without work are not in it. */
  const queues = new Map<string, TenantQueue>()
  let free = slots

  function serve() {
    while (free > 0) {
      const next = nextQueue()
      if (!next) return
      const [tenant, queue] = next
      queues.delete(tenant)
      queues.set(tenant, queue)
      const [start] = queue.waiting.keys()
      queue.waiting.delete(start!)
      queue.running++
      free--
      start!(releaseOnce(tenant, queue))
    }
  }

  function nextQueue(): [string, TenantQueue] | null {
    for (const [tenant, queue] of queues)
      if (queue.waiting.size > 0 && queue.running < slotsOf(tenant)) return [tenant, queue]
    return null
  }

  function releaseOnce(tenant: string, queue: TenantQueue) {
    let isReleased = false
    return () => {
      if (isReleased) return
      isReleased = true
      queue.running--
      free++
      dropIdle(tenant, queue)
      serve()
    }
  }

  function dropIdle(tenant: string, queue: TenantQueue) {
    // A tenant that came back has another queue.
    if (queue.running === 0 && queue.waiting.size === 0 && queues.get(tenant) === queue) queues.delete(tenant)
  }

  const workOf = (queue: TenantQueue | undefined) => (queue ? queue.running + queue.waiting.size : 0)

  return {
    /**
     * Starts the work when it is its tenant's turn: at once where a slot is free.
     * @param refuse called instead of `start` when the work is shed.
     * @returns what removes it from the queue.
     */
    enter: (tenant: string, start: Start, refuse: () => void = () => {}) => {
      const queue = queues.get(tenant) ?? { waiting: new Map(), running: 0 }
      queues.set(tenant, queue)
      queue.waiting.set(start, refuse)
      serve()
      return () => {
        queue.waiting.delete(start)
        dropIdle(tenant, queue)
      }
    },
    /** Whether this tenant uses all the slots it may have. */
    isAtLimit: (tenant: string) => (queues.get(tenant)?.running ?? 0) >= slotsOf(tenant),
    /**
     * Refuses the newest waiting work of the tenant that has most work.
     * @param tenant null: whoever has some. @param mayLose the others that may lose work.
     * @returns false where none of them has more than this one, and waits: then nothing is refused.
     */
    shedForSmaller: (tenant: string | null, mayLose: (other: string) => boolean = () => true) => {
      let most = tenant === null ? 0 : workOf(queues.get(tenant))
      let largest: TenantQueue | null = null
      for (const [name, queue] of queues) {
        if (queue.waiting.size === 0 || workOf(queue) <= most || !mayLose(name)) continue
        most = workOf(queue)
        largest = queue
      }
      if (!largest) return false
      const [start, refuse] = [...largest.waiting].at(-1)!
      largest.waiting.delete(start)
      refuse()
      return true
    },
  }
}

/**
 * Returns a function that runs work for a caller when its tenant's turn comes. A tenant may use half of the slots at once. Work that
 * still waits at the caller's deadline, or whose client has left by its turn, never starts; running work holds its slot until it ends.
 * @param deadlineMs how long after its start a call is refused.
 * @param tookTooLong the refusal of work that runs at the deadline.
 */
export function createSlots(slots: number, deadlineMs: number, tookTooLong: () => ApiError) {
  const queue = createFairQueue(slots, () => Math.max(1, Math.floor(slots / 2)))
  return <T>(caller: Caller, work: () => Promise<T>): Promise<T> => {
    const deadlineAt = caller.startedAt + deadlineMs
    return new Promise((resolve, reject) => {
      let isRunning = false
      const notServed = () =>
        deadlinePassed(
          queue.isAtLimit(caller.tenant)
            ? 'Your earlier calls took all the time of this one. Send fewer calls at once.'
            : 'The service is overloaded. Try again shortly.',
        )
      const deadline = setTimeout(() => {
        leaveQueue()
        reject(isRunning ? tookTooLong() : notServed())
      }, deadlineAt - performance.now())
      const leaveQueue = queue.enter(caller.tenant, release => {
        const settle = () => {
          clearTimeout(deadline)
          release()
        }
        isRunning = !caller.hasLeft() && performance.now() < deadlineAt
        if (isRunning) {
          void work().then(resolve, reject).finally(settle)
        } else {
          settle()
          reject(caller.hasLeft() ? new ClientLeft() : notServed())
        }
      })
    })
  }
}
