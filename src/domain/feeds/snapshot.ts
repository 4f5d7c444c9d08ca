/** How many live rows of a source a file should hold, going by the last good load of that source. */
export interface Expectation {
  /** Live rows of the last good load. */
  last_live_rows: number
  /** Lots of the source whose end has come since: the file can no longer contain them. */
  ended_since: number
}

/**
 * Why the rows of a source are not to be trusted, or null. A file with live rows of a source is its whole live offer, so
 * one with under half of what the last good load leads to expect is taken for a broken fetch.
 */
export function shrinkage(
  source: string,
  liveRows: number,
  { last_live_rows, ended_since }: Expectation,
): string | null {
  const expected = Math.max(0, last_live_rows - ended_since)
  if (liveRows * 2 >= expected) return null
  const ended = ended_since > 0 ? `, ${ended_since} of which have ended since` : ''
  return (
    `The file has ${liveRows} live rows of ${source}; its last good load had ${last_live_rows}${ended}. ` +
    'Under half of it looks like a broken fetch, so nothing of this source was changed. ' +
    'If the source really shrank, load the file with --accept-shrinkage.'
  )
}
