import { asJson, type Fragment, type SqlContext } from '../postgres/sql.ts'

/**
 * Keeps what calls add to accounts in memory, so that no call costs a statement of its own, until it is stored for all processes.
 * @param joined what was added before with what is added.
 * @param write stores rows of an `account_id` and what was added, in one order, so that processes never deadlock.
 */
export function createStoredLater<Added extends object>(
  joined: (before: Added, added: Added) => Added,
  write: (context: SqlContext, rows: Fragment) => PromiseLike<unknown>,
) {
  let kept = new Map<number, Added>()

  function add(accountId: number, added: Added) {
    const before = kept.get(accountId)
    kept.set(accountId, before ? joined(before, added) : added)
  }

  return {
    add,
    /** Stores what was added since; where that fails, it is stored the next time. */
    async store(context: SqlContext) {
      if (kept.size === 0) return
      const stored = kept
      kept = new Map()
      try {
        await write(context, asJson([...stored].map(([account_id, added]) => ({ account_id, ...added }))))
      } catch (error) {
        const since = kept
        kept = stored
        for (const entry of since) add(...entry)
        throw error
      }
    },
  }
}
