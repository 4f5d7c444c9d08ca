/** Those who wait for the statements of one call: its client, and whoever shares a read with it. */
export interface Audience {
  /** Aborted when nobody waits any more. */
  signal: AbortSignal
  /**
   * Lets somebody else wait too, until they leave, or for good where nobody can tell.
   * @returns what ends it.
   */
  join(other: Audience | null): () => void
}

/** @param leaving aborted when the client has left. */
export function createAudience(leaving: AbortSignal): Audience {
  const nobody = new AbortController()
  let waiting = 0

  function enter(left: AbortSignal | null): () => void {
    let isHere = true
    const leave = () => {
      if (!isHere) return
      isHere = false
      waiting--
      left?.removeEventListener('abort', leave)
      if (waiting === 0) nobody.abort(leaving.reason)
    }
    waiting++
    if (left?.aborted) leave()
    else left?.addEventListener('abort', leave, { once: true })
    return leave
  }

  enter(leaving)
  return { signal: nobody.signal, join: other => enter(other?.signal ?? null) }
}
