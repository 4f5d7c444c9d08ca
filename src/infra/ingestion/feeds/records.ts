import { shown } from '../../../domain/feeds/badRow.ts'
import type { Cells } from '../../../domain/feeds/cells.ts'
import type { Line } from './lines.ts'

/** One record of a file, as far as its encoding is concerned: its cells by column, or why there are none. */
export type FeedRecord = { line: number; raw: string } & ({ cells: Cells } | FaultyRecord)

interface FaultyRecord {
  fault: string
  /** Whether it is the last record of the file and stops in its middle: the file was cut off. */
  isCutOff: boolean
}

/** The records of an NDJSON file: one JSON object a line. Blank lines are skipped. */
export async function* ndjsonRecords(lines: AsyncIterable<Line[]>): AsyncGenerator<FeedRecord[]> {
  for await (const some of lines) yield some.filter(line => line.text.trim() !== '').map(recordOf)
}

function recordOf({ number, text, fault, isEnded }: Line): FeedRecord {
  const record = { line: number, raw: text }
  if (fault) return { ...record, fault, isCutOff: !isEnded }
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return { ...record, fault: `The line is not valid JSON: ${shown(text)}.`, isCutOff: !isEnded }
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return { ...record, fault: `The line must be one JSON object, not ${shown(value)}.`, isCutOff: !isEnded }
  }
  return { ...record, cells: value as Cells }
}
