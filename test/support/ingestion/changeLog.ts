import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'vitest'
import { openAdminConnection, type Sql } from '../../../src/infra/postgres/database.ts'

/** A row of `lot_changes`. */
export interface LoggedChange {
  seq: number
  lot_id: string
  observed_at: Date
  kind: string
  current_bid_cents: number | null
  num_bids: number
  ends_at: Date
  fell: boolean
}

/** Reads on from a cursor, as a client does; everything unless a limit is given. */
export function changesAfter(
  sql: Sql,
  cursor = 0,
  limit: number | null = null,
): Promise<LoggedChange[]> {
  return sql<LoggedChange[]>`
    select seq, lot_id, observed_at, kind, current_bid_cents, num_bids, ends_at, fell
    from lot_changes
    where seq > ${cursor}
    order by seq
    limit ${limit}`
}

/** The changes of one lot of `liveRow`, in short. */
export async function changesOf(sql: Sql, sourceId: string) {
  return sql`
    select kind, observed_at, current_bid_cents as bid, num_bids, ends_at, fell
    from lot_changes
    where lot_id = (select id from lots where source_id = ${sourceId})
    order by seq`
}

/** Expects each number once, in order, and as many as were given out. */
export async function expectGapless(sql: Sql, changes: LoggedChange[]): Promise<void> {
  const [version] = await sql<{ last_change: number }[]>`select last_change from data_version`
  expect(changes.map(({ seq }) => seq)).toEqual(
    Array.from({ length: version!.last_change }, (_, n) => n + 1),
  )
}

const OPENING = ['listed', 'bid', 'end_moved', 'price', 'details', 'reopened', 'score']

/** The open lots that the changes lead to, beginning with none, in the order of their ids. */
export function replayed(changes: LoggedChange[]) {
  const lots = new Map<string, unknown>()
  for (const { lot_id, kind, current_bid_cents, num_bids, ends_at } of changes) {
    if (OPENING.includes(kind))
      lots.set(lot_id, { id: lot_id, current_bid_cents, num_bids, ends_at })
    else lots.delete(lot_id)
  }
  return [...lots].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, lot]) => lot)
}

/** The open lots as they are. */
export async function openLots(sql: Sql): Promise<unknown[]> {
  return [
    ...(await sql`select id, current_bid_cents, num_bids, ends_at from lots where is_open order by id::text`),
  ]
}

/** A client that reads pages without a pause, from a session of its own. */
export function startReader(url: string) {
  const sql = openAdminConnection(url)
  const read: LoggedChange[] = []
  let isStopping = false
  const reading = (async () => {
    for (;;) {
      const wasStopping = isStopping
      const page = await changesAfter(sql, read.at(-1)?.seq, 700)
      read.push(...page)
      if (wasStopping && page.length === 0) return
      await sleep(5)
    }
  })()
  return {
    read,
    /** Reads what is left. */
    stop: async () => {
      isStopping = true
      await reading
      await sql.end()
    },
  }
}
