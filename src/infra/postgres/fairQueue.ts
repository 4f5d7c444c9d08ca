import type { Caller } from '../../domain/caller.ts'
import { type ApiError, ClientLeft, deadlinePassed } from '../../domain/errors.ts'

/** Starts waiting work; the work calls `release` when its slot is free again. Releasing twice is harmless. */
type Start = (release: () => void) => void

interface Line {
  waiting: Set<Start>
  running: number
}

/**
 * Each share has a queue of its own, and the queues are served in turn, so the work of one share never waits behind all the work of
 * another. One share never holds more than `slotsPerShare` slots, so others find a free one at once.
 */
export function createFairQueue(slots: number, slotsPerShare: number) {
  /** In the order of their turns: a share that was served goes to the end. Shares without work are not in it. */
  const lines = new Map<string, Line>()
  let free = slots

  function serve(): void {
    while (free > 0) {
      const next = nextLine()
      if (!next) return
      const [share, line] = next
      lines.delete(share)
      lines.set(share, line)
      const [start] = line.waiting
      line.waiting.delete(start!)
      line.running++
      free--
      start!(releaseOnce(share, line))
    }
  }

  function nextLine(): [string, Line] | null {
    for (const [share, line] of lines)
      if (line.waiting.size > 0 && line.running < slotsPerShare) return [share, line]
    return null
  }

  function releaseOnce(share: string, line: Line): () => void {
    let isReleased = false
    return () => {
      if (isReleased) return
      isReleased = true
      line.running--
      free++
      forgetIdle(share, line)
      serve()
    }
  }

  function forgetIdle(share: string, line: Line): void {
    if (line.running === 0 && line.waiting.size === 0) lines.delete(share)
  }

  return {
    /** Starts the work when it is its share's turn: at once where a slot is free. @returns what takes it out of the queue. */
    enter: (share: string, start: Start) => {
      const line = lines.get(share) ?? { waiting: new Set(), running: 0 }
      lines.set(share, line)
      line.waiting.add(start)
      serve()
      return () => {
        line.waiting.delete(start)
        forgetIdle(share, line)
      }
    },
    /** Whether this share uses all the slots it may have. */
    isAtLimit: (share: string) => (lines.get(share)?.running ?? 0) >= slotsPerShare,
  }
}

/**
 * Returns a function that runs work for a caller when its share's turn comes. A share may use half of the slots at once. Work that still
 * waits at the caller's deadline, or whose client has left by its turn, is never begun; work that runs holds its slot until its end.
 * @param deadlineMs how long after its beginning a call is refused.
 * @param tookTooLong the refusal of work that runs at the deadline.
 */
export function createTurns(slots: number, deadlineMs: number, tookTooLong: () => ApiError) {
  const queue = createFairQueue(slots, Math.max(1, Math.floor(slots / 2)))
  return <T>(caller: Caller, work: () => Promise<T>): Promise<T> => {
    const deadlineAt = caller.startedAt + deadlineMs
    return new Promise((resolve, reject) => {
      let isRunning = false
      const notServed = () => (queue.isAtLimit(caller.share) ? tooManyAtOnce() : queueTooLong())
      const deadline = setTimeout(() => {
        leaveQueue()
        reject(isRunning ? tookTooLong() : notServed())
      }, deadlineAt - performance.now())
      const leaveQueue = queue.enter(caller.share, release => {
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

function tooManyAtOnce() {
  return deadlinePassed('Your earlier calls took all the time of this one. Send fewer calls at once.')
}

function queueTooLong() {
  return deadlinePassed('The service is overloaded. Try again shortly.')
}
