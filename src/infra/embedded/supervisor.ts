import { setTimeout as sleep } from 'node:timers/promises'

export interface SupervisorOptions {
  /** How often the server is checked; a check reads two small files. */
  intervalMs?: number
  /** Called when the server runs again. */
  onRestart?: () => void
  /** Called with the reason when a restart failed; it is tried again. */
  onFailure?: (error: Error) => void
}

export interface Supervisor {
  /** Also cancels a restart in progress. */
  stop(): Promise<void>
}

const longestPauseMs = 5_000

/** Restarts the server whenever it is down. Does not keep this process alive. */
export function supervise(
  isUp: () => boolean,
  bringBack: (signal: AbortSignal) => Promise<unknown>,
  options: SupervisorOptions = {},
): Supervisor {
  const { intervalMs = 200, onRestart, onFailure } = options
  const stopped = new AbortController()
  const watch = async () => {
    let pauseMs = intervalMs
    while (!stopped.signal.aborted) {
      await sleep(pauseMs, undefined, { ref: false, signal: stopped.signal }).catch(() => {})
      if (stopped.signal.aborted || isUp()) continue
      try {
        await bringBack(stopped.signal)
        pauseMs = intervalMs
        onRestart?.()
      } catch (error) {
        if (stopped.signal.aborted) return
        pauseMs = Math.min(pauseMs * 2, longestPauseMs)
        onFailure?.(error as Error)
      }
    }
  }
  const watching = watch()
  return {
    stop: () => {
      stopped.abort()
      return watching
    },
  }
}
