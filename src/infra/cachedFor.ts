/** Calls `read` at most once in `keptMs` and shares its result; a failure is not cached. */
export function cachedFor<T>(keptMs: number, read: () => Promise<T>): () => Promise<T> {
  let result: Promise<T> | null = null
  let readAt = 0
  return () => {
    if (result === null || Date.now() - readAt > keptMs) {
      readAt = Date.now()
      result = read()
      result.catch(() => {
        result = null
      })
    }
    return result
  }
}
