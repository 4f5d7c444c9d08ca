import { distance } from 'fastest-levenshtein'

/** The known name that looks most like the one that was written; null when none is known. */
export function nearestName(written: string, known: string[]): string | null {
  return known.toSorted((a, b) => distance(written, a) - distance(written, b))[0] ?? null
}
