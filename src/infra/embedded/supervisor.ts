import { setTimeout as sleep } from 'node:timers/promises'

export interface SupervisorOptions {
  /** How often the server is looked at. One look reads two small files. */
  intervalMs?: number
  /** Hears that the server is back. */
  onRestart?: () => void
  /** Hears why it could not be brought back; it is tried again. */
  onFailure?: (error: Error) => void
}

export interface Supervisor {
  /** Ends a restart that is under way, too. */
  stop(): Promise<void>
}

const longestPauseMs = 5_000

/** Brings the server back whenever it is gone, and keeps nobody's process alive by itself. */
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
