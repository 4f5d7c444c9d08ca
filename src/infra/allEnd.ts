/** Waits until all of these have ended, then throws what the first of them threw, if any did. */
export async function allEnd(works: readonly Promise<unknown>[]): Promise<void> {
  const ends = await Promise.allSettled(works)
  for (const end of ends) if (end.status === 'rejected') throw end.reason
}
