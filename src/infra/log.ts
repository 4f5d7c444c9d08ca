import pino, { type Logger } from 'pino'

export type { Logger }

/** Receives the progress of long work, as a sentence. */
export type Report = (message: string) => void

/** One JSON line an event, on stderr: stdout belongs to what a command answers. */
export function createLog(level: string): Logger {
  return pino(
    { level, base: null, timestamp: pino.stdTimeFunctions.isoTime },
    pino.destination({ fd: 2, sync: false }),
  )
}
