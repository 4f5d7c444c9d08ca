import { type DemoSize, demoLots } from '../../src/demo/demoLots.ts'
import type { LotRow } from '../../src/domain/feeds/lotRow.ts'

export const HOUR = 3_600_000
export const DAY = 24 * HOUR

/** A Friday morning in the US winter. */
export const asOf = new Date('2026-11-20T10:30:00Z')
export const size: DemoSize = { lots: 8000, sales: 12_000, seed: 7, asOf }

/** One demo, in the order it came, and by what became of the lots. */
export const rows = [...demoLots(size)]
export const sold = rows.filter(row => row.outcome === 'sold')
export const unsold = rows.filter(row => row.outcome === 'unsold')
export const open = rows.filter(row => row.outcome === null)
export const upcoming = open.filter(
  row => row.start_date !== null && Date.parse(row.start_date) > asOf.getTime(),
)
export const live = open.filter(
  row => row.start_date === null || Date.parse(row.start_date) <= asOf.getTime(),
)

/** Every 25th row, and the first three of each source, category and outcome. */
export function someOfEach(all: LotRow[]): LotRow[] {
  const seen = new Map<string, number>()
  return all.filter(({ source, category, outcome }, n) => {
    const kind = `${source} ${category} ${outcome}`
    const before = seen.get(kind) ?? 0
    seen.set(kind, before + 1)
    return before < 3 || n % 25 === 0
  })
}

export function median(values: number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.floor((sorted.length - 1) / 2)] ?? Number.NaN
}
