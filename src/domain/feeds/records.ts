import { BadRow, shown } from './badRow.ts'
import { type Cells, textIn } from './cells.ts'
import { zipCode } from './states.ts'

/**
 * The named fields of a record, whatever the case of its keys: the same source has been seen to write them in two
 * ways. Every other field is dropped, and personal data with it.
 */
export function fieldsOf(record: unknown, names: readonly string[]): Cells {
  const found = new Map(
    Object.entries(isObject(record) ? record : {}).map(([key, value]) => [bare(key), value]),
  )
  return Object.fromEntries(names.map(name => [name, found.get(bare(name)) ?? null]))
}

/** A field as trimmed text; numbers become text. Null when it is absent, blank or the word "null" that Java writes. */
export function wordsIn(cells: Cells, field: string): string | null {
  const value = cells[field]
  if (value === undefined || value === null) return null
  if (typeof value !== 'string' && typeof value !== 'number') {
    throw new BadRow(`${field} must be text, not ${shown(value)}.`)
  }
  const words = textIn({ [field]: String(value) }, field)
  return words?.toLowerCase() === 'null' ? null : words
}

/** @throws BadRow also when the field is absent or blank. */
export function requiredWordsIn(cells: Cells, field: string): string {
  const words = wordsIn(cells, field)
  if (words === null) throw new BadRow(`${field} is missing.`)
  return words
}

/** A web address, or null where there is none that can be linked to: a lot is not lost for its picture. */
export function linkIn(cells: Cells, field: string, base?: string): string | null {
  const value = cells[field]
  if (typeof value !== 'string' || value.trim() === '' || !URL.canParse(value.trim(), base)) return null
  const link = new URL(value.trim(), base)
  return /^https?:$/.test(link.protocol) && link.href.length <= 2000 ? link.href : null
}

/** A ZIP code of 5 or 9 digits; null for anything else, because the city still gives the place. */
export function zipWordsIn(cells: Cells, field: string, state: string | null = null): string | null {
  const value = cells[field]
  if (typeof value === 'number') return zipCode(String(value).padStart(5, '0'), state)
  return typeof value === 'string' ? zipCode(value, state) : null
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function bare(key: string): string {
  return key.toLowerCase().replace(/[^a-z0-9]/g, '')
}
