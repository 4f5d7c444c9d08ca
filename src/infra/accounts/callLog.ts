import type { ErrorCode } from '../../contract/types.ts'
import { asJson, type SqlContext } from '../postgres/sql.ts'

const MOST_CALLS = 100

/**
 * An answered call, as the owner of its key sees it. Its texts have no NUL:
 * PostgreSQL stores none, and one such call would hold up all others.
 */
interface LoggedCall {
  /** As in its header `X-Request-Id`. */
  id: string
  /** When it was answered, RFC 3339. */
  at: string
  key_id: string
  method: string
  /** Path and query, without anything that looks like a key. */
  url: string
  status: number
  /** Null: it was not refused. */
  code: ErrorCode | null
  error: string | null
  milliseconds: number
}

/**
 * The last 100 calls of each account, in memory until they are stored for all
 * processes, so that no call costs a statement of its own.
 */
export interface CallLog {
  add(accountId: number, call: LoggedCall): void
  /**
   * Stores what was added since; where that fails, it is stored the next time.
   */
  store(context: SqlContext): Promise<void>
}

export function createCallLog(): CallLog {
  let kept = new Map<number, LoggedCall[]>()

  function add(accountId: number, ...calls: LoggedCall[]) {
    const before = kept.get(accountId) ?? []
    kept.set(accountId, [...before, ...calls].slice(-MOST_CALLS))
  }

  return {
    add,
    async store(context) {
      if (kept.size === 0) return
      const stored = kept
      kept = new Map()
      try {
        await storeCalls(context, stored)
      } catch (error) {
        const since = kept
        kept = stored
        for (const [accountId, calls] of since) add(accountId, ...calls)
        throw error
      }
    },
  }
}

/**
 * A call that was stored before an answer was lost is not stored twice. An
 * account without an owner has no reader. In the order of accounts, so that
 * processes never deadlock.
 */
async function storeCalls(
  { sql }: SqlContext,
  callsOf: Map<number, LoggedCall[]>,
) {
  await sql`
    insert into call_logs as l (account_id, calls)
    select account_id, r.calls
    from json_to_recordset(${asJson([...callsOf].map(([account_id, calls]) => ({ account_id, calls })))})
      as r (account_id bigint, calls jsonb)
    join accounts a on a.id = account_id and a.owner is not null
    order by account_id
    on conflict (account_id) do update
    set calls = (
      select jsonb_agg(call order by at desc)
      from (
        select distinct call, call ->> 'at' as at
        from jsonb_array_elements(excluded.calls || l.calls) as call
        order by at desc
        limit ${MOST_CALLS}
      ) as kept
    )`
}

/**
 * A logged call, with the name of its key and the key's last four characters.
 */
export type CallOfKey = LoggedCall & { key: string; hint: string }

/** The last 100 calls of an account, the latest first. */
export async function lastCalls(
  { sql }: SqlContext,
  accountId: number,
): Promise<CallOfKey[]> {
  return sql<CallOfKey[]>`
    select c.*, k.name as key, k.hint
    from call_logs l
    cross join jsonb_to_recordset(l.calls)
      as c (id text, at text, key_id uuid, method text, url text, status integer, code text, error text, milliseconds integer)
    join keys k on k.id = c.key_id
    where l.account_id = ${accountId}
    order by c.at desc`
}
