import { BadRow } from './badRow.ts'
import type { Cells } from './cells.ts'
import { FEED_COLUMNS } from './lotRow.ts'

/** Values that no check refuses, for columns that must not be empty or that other columns are checked against. */
const STAND_INS: Cells = {
  id: 'gsa-1',
  source: 'gsa',
  source_id: '1',
  title: 'lot',
  source_url: 'https://lot.example/',
  sold: 'false',
  outcome: 'unsold',
  current_bid_cents: 1,
}

/**
 * Every fault of a row that `read` refused, in one text, so that an author fixes the row once. Reads the row again with the cell at
 * fault replaced, until nothing new is refused; good rows cost nothing. A reason begins with the name of its column, or in quotes with
 * that of an unknown one.
 * @param first the reason of the refusal.
 */
export function allFaults(cells: Cells, read: (cells: Cells) => unknown, first: string): string {
  const rest = { ...cells }
  const reasons: string[] = []
  const replaced = new Set<string>()
  for (let reason: string | null = first; reason !== null; reason = refusalOf(rest, read)) {
    const column = /^\w+/.exec(reason)?.[0] ?? ''
    if (replaced.has(column)) break
    reasons.push(reason)
    replaced.add(column)
    if (column === '') for (const unknown of unknownIn(rest)) delete rest[unknown]
    else rest[column] = STAND_INS[column] ?? null
  }
  return reasons.join(' ')
}

function unknownIn(cells: Cells): string[] {
  return Object.keys(cells).filter(column => !FEED_COLUMNS.includes(column))
}

function refusalOf(cells: Cells, read: (cells: Cells) => unknown): string | null {
  try {
    read(cells)
    return null
  } catch (error) {
    if (error instanceof BadRow) return error.message
    throw error
  }
}
