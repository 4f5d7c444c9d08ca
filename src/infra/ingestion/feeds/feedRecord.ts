import type { Cells } from '../../../domain/feeds/cells.ts'

/** One record of a file, as far as its encoding is concerned: its cells by column, or why there are none. */
export type FeedRecord = { line: number; raw: string } & ({ cells: Cells } | FaultyRecord)

interface FaultyRecord {
  fault: string
  /** Whether it is the last record of the file and stops in its middle: the file was cut off. */
  isCutOff: boolean
}
