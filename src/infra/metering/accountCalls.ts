import type { Sql } from '../postgres/sql.ts'

/** Counts the calls of accounts for operators: in memory, so that a refusal costs no statement of its own. */
export type AccountCalls = ReturnType<typeof createAccountCalls>

export function createAccountCalls() {
  let counted = new Map<number, { answered: number; refused: number }>()

  function add(accountId: number, answered: number, refused: number): void {
    const calls = counted.get(accountId) ?? { answered: 0, refused: 0 }
    calls.answered += answered
    calls.refused += refused
    counted.set(accountId, calls)
  }

  return {
    /** Counts a call by its status. What the service failed at is neither answered nor refused. */
    count(accountId: number, status: number): void {
      if (status === 403 || status === 429) add(accountId, 0, 1)
      else if (status < 500) add(accountId, 1, 0)
    },
    /** Adds what was counted since to the database; where that fails, it is added the next time. */
    async store(sql: Sql): Promise<void> {
      if (counted.size === 0) return
      const rows = [...counted].map(([account_id, calls]) => ({ account_id, ...calls }))
      counted = new Map()
      try {
        // In one order, so that processes never deadlock.
        await sql`
          insert into account_calls as c (account_id, minute, answered, refused)
          select account_id, date_trunc('minute', now()), answered, refused
          from jsonb_to_recordset(${sql.json(rows)}) as r (account_id bigint, answered integer, refused integer)
          order by account_id
          on conflict (account_id, minute) do update
          set answered = c.answered + excluded.answered, refused = c.refused + excluded.refused`
      } catch (error) {
        for (const { account_id, answered, refused } of rows) add(account_id, answered, refused)
        throw error
      }
    },
  }
}
