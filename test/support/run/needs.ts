declare module 'vitest' {
  interface TaskMeta {
    /** What a skipped test needs and does not find here. */
    needs?: string
  }
}

/**
 * The options of tests that are skipped where something is missing. The line that closes the run
 * names it.
 * @param what what they need, and how to get it: `jq (apt-get install jq)`.
 */
export function needs(isThere: unknown, what: string): { skip: boolean; meta: { needs?: string } } {
  return isThere ? { skip: false, meta: {} } : { skip: true, meta: { needs: what } }
}
