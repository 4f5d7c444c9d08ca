import type { Input } from '../contract/types.ts'

/** A search as a page gets it: what was sent, and what it means (see createSearchReader, which the roof hands in). */
export interface SentSearch {
  sent: [name: string, value: string][]
  input(others?: Record<string, string>): Input<'searchListings'>
}

export type SearchReader = (url: string) => SentSearch

/** An address with some parameters of a search: the sent ones, some of them changed or (null) dropped. */
export function addressWith(
  path: string,
  sent: [name: string, value: string][],
  changes: Record<string, string | null>,
): string {
  const query = new URLSearchParams(sent.filter(([name]) => !Object.hasOwn(changes, name)))
  for (const [name, value] of Object.entries(changes)) if (value !== null) query.set(name, value)
  const text = query.toString()
  return text === '' ? path : `${path}?${text}`
}
