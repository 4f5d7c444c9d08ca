import { PLANS, type Plan } from '../domain/plans.ts'
import type { Sql } from './database.ts'

/** What one call was told by the counters. `day`, `burstStartedAt` name what paid, for giving it back. */
export interface Charge {
  granted: boolean
  /** Which limit refused; the month, when both are exceeded. */
  refusedBy: 'month' | 'burst' | null
  keyId: string
  accountId: number
  plan: Plan
  monthLimit: number
  monthRemaining: number
  monthResetsInSeconds: number
  burstLimit: number
  burstResetsInSeconds: number
  /** The day (UTC) that the call is counted on: 2026-11-21. */
  day: string
  burstStartedAt: string
}

/** Calls that are asked for with one key, by its hash. */
export interface Asked {
  hash: Buffer
  calls: number
}

/** What the counters answered to the calls of one key: the first `granted` of them are in. */
export interface Admitted {
  secret_hash: Buffer
  key_id: string
  account_id: number
  plan: Plan
  month_limit: number
  burst_limit: number
  granted: number
  month_used: number
  day: string
  month_resets_in: number
  burst_used: number
  burst_started_at: string
  burst_resets_in: number
}

/** How often a call that could not be given back is tried again, and for how long (10 minutes). */
const RETURN_RETRY_MS = 1_000
const RETURN_TRIES = 600

/** Charges a batch in one statement (function `admit`). A hash that no live key has gets no row. */
export async function admit(sql: Sql, asked: Asked[], now: Date | null): Promise<Admitted[]> {
  const batch = asked.map(({ hash, calls }) => ({ hash: hash.toString('hex'), calls }))
  return sql<Admitted[]>`
    select
      secret_hash, key_id, account_id, plan, month_limit, burst_limit,
      (charged).granted, (charged).month_used, (charged).day::text, (charged).month_resets_in,
      (charged).burst_used, (charged).burst_started_at::text, (charged).burst_resets_in
    from (
      select array_agg(decode(hash, 'hex')) as hashes, array_agg(calls) as calls
      from jsonb_to_recordset(${sql.json(batch)}) as asked (hash text, calls integer)
    ) as batch
    cross join lateral admit(hashes, batch.calls, ${sql.json(PLANS)}, ${now?.toISOString() ?? null}::timestamptz)`
}

/** What the call at this place among those of its key is told. */
export function chargeOf(row: Admitted, index: number): Charge {
  const granted = index < row.granted
  const used = granted ? row.month_used - row.granted + index + 1 : row.month_used
  return {
    granted,
    refusedBy: granted ? null : row.month_used >= row.month_limit ? 'month' : 'burst',
    keyId: row.key_id,
    accountId: row.account_id,
    plan: row.plan,
    monthLimit: row.month_limit,
    monthRemaining: Math.max(0, row.month_limit - used),
    monthResetsInSeconds: row.month_resets_in,
    burstLimit: row.burst_limit,
    burstResetsInSeconds: row.burst_resets_in,
    day: row.day,
    burstStartedAt: row.burst_started_at,
  }
}

/**
 * Gives charged calls back; tries again while the database is away. Never throws. As a parameter, a timestamptz would
 * lose the microseconds that name the minute (the driver makes a `Date` of it); in JSON it stays text.
 */
export async function giveBack(sql: Sql, charges: Charge[]): Promise<void> {
  const calls = charges.map(({ accountId, day, keyId, burstStartedAt }) => {
    return {
      month_meter: `account:${accountId}`,
      day,
      burst_meter: `key:${keyId}`,
      burst_start: burstStartedAt,
    }
  })
  for (let attempt = 0; attempt < RETURN_TRIES; attempt++) {
    try {
      await sql`
        select give_back(array_agg(month_meter), array_agg(day), array_agg(burst_meter), array_agg(burst_start))
        from jsonb_to_recordset(${sql.json(calls)})
          as given (month_meter text, day date, burst_meter text, burst_start timestamptz)`
      return
    } catch {
      await new Promise(resolve => setTimeout(resolve, RETURN_RETRY_MS).unref())
    }
  }
}
