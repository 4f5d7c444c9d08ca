import pino, { type Logger } from 'pino'

export type { Logger }

/** Receives the progress of long work, as a sentence. */
export type Report = (message: string) => void

export const LOG_FORMATS = ['json', 'plain']
export type LogFormat = 'json' | 'plain'

/** One line an event, on stderr: stdout belongs to what a command answers. */
export function createLog(level: string, format: LogFormat = 'json'): Logger {
  const plain = {
    write: (line: string) => void process.stderr.write(inPlain(line)),
  }
  return pino(
    { level, base: null, timestamp: pino.stdTimeFunctions.isoTime },
    format === 'plain' ? plain : pino.destination({ fd: 2, sync: false }),
  )
}

/**
 * A line for a person: what an event `says`, or a warning with its facts. Other
 * events say nothing.
 */
function inPlain(line: string) {
  const { level, msg, says, err, time: _, ...facts } = JSON.parse(line)
  if (says) return `${says}\n`
  if (level < pino.levels.values.warn!) return ''
  const named = Object.entries(facts).map(
    ([name, fact]) => `${name}: ${JSON.stringify(fact)}`,
  )
  return `${[msg, err?.message, ...named].filter(Boolean).join('; ')}\n`
}
