import { type ListingFilter, setFilters } from './filters.ts'
import { factMask, type LotTable, packFact } from './lotTable.ts'

/** Marks the lots that match. One buffer for all calls: 10,000 saved searches would make as many of garbage. */
let marks = new Uint8Array(0)

/**
 * Marks with 1 the lots of the table that match a filter, at any time of their life, in one pass for each filter that is set. Filters that
 * only the database can answer are not examined.
 * Why: 10,000 saved searches over the lots of a sweep, each minute; npx vitest run --project slow test/slow/scale/sameAsSearch.test.ts
 * @returns the marks by ordinal, until the next call.
 */
export function markMatches(table: LotTable, filter: ListingFilter, now_ms: number): Uint8Array {
  const { lots, facts } = table
  if (marks.length < lots) marks = new Uint8Array(lots)
  const found = marks.fill(1)
  for (const { value, rule } of setFilters(filter)) {
    const test = rule.inMemory === 'database' ? null : rule.inMemory(value, table, now_ms)
    if (typeof test === 'function') {
      for (let ordinal = 0; ordinal < lots; ordinal++)
        if (found[ordinal] === 1 && !test(ordinal)) found[ordinal] = 0
    } else if (test && 'column' in test) {
      const { column, least, most } = test
      for (let ordinal = 0; ordinal < lots; ordinal++)
        found[ordinal]! &= column[ordinal]! >= least && column[ordinal]! <= most ? 1 : 0
    } else if (test) {
      const mask = factMask(test.fact)
      // The code -1 sets bits that no lot has.
      const wanted = packFact(test.fact, test.code)
      for (let ordinal = 0; ordinal < lots; ordinal++)
        found[ordinal]! &= (facts[ordinal]! & mask) === wanted ? 1 : 0
    }
  }
  return found
}
