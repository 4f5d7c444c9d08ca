import { KEYLESS, PLANS, type Plan } from '../../contract/plans.ts'
import { clock } from '../postgres/clock.ts'
import type { Sql } from '../postgres/database.ts'
import { type DataState, stateColumns } from '../postgres/dataVersion.ts'

/** What one call was told by the counters. The meters, `day` and `burstStartedAt` name what paid, for giving it back. */
export interface Charge {
  granted: boolean
  /** Which limit refused; the month, when both are exceeded. */
  refusedBy: 'month' | 'burst' | null
  monthLimit: number
  monthRemaining: number
  monthResetsInSeconds: number
  burstLimit: number
  burstResetsInSeconds: number
  monthMeter: string
  /** The day (UTC) that the call is counted on: 2026-11-21. */
  day: string
  burstMeter: string
  burstStartedAt: string
  /** How far the data was when the call was counted. */
  state: DataState
}

/** A call that was made with a key. */
export interface KeyCharge extends Charge {
  keyId: string
  accountId: number
  plan: Plan
}

/** Calls that are asked for by one caller, by the hash of its key or address. */
export interface Asked {
  hash: Buffer
  calls: number
}

/** What the counters answered to the calls of one caller. */
export interface Counted extends DataState {
  /** Which of those asked for, from 1. */
  place: number
  month_limit: number
  burst_limit: number
  /** So many of the calls are in, the first ones; null: it is to be asked for again. */
  granted: number | null
  month_used: number
  day: string
  month_resets_in: number
  burst_started_at: string
  burst_resets_in: number
}

/** The same for a key. */
export interface CountedKey extends Counted {
  key_id: string
  account_id: number
  plan: Plan
}

/** The same for an address. */
export interface CountedAddress extends Counted {
  meter: string
}

/** How often a call that could not be given back is tried again, and for how long (10 minutes). */
const RETURN_RETRY_MS = 1_000
const RETURN_TRIES = 600

/** Charges a batch in one statement (function `charge_keys`). A hash that no live key has gets no row. */
export async function chargeKeys(sql: Sql, asked: Asked[], now: Date | null): Promise<CountedKey[]> {
  // As texts, since these pools know no array types.
  const hashes = `{${asked.map(({ hash }) => `"\\\\x${hash.toString('hex')}"`).join()}}`
  const calls = `{${asked.map(each => each.calls).join()}}`
  return sql<CountedKey[]>`
    select
      place, key_id, account_id, plan, month_limit, burst_limit, granted, month_used, day::text, month_resets_in,
      burst_started_at::text, burst_resets_in, version, now_ms
    from charge_keys(
      ${hashes}::text::bytea[], ${calls}::text::integer[], ${sql.json(PLANS)}, ${now?.toISOString() ?? null}::timestamptz
    )`
}

/**
 * Charges a batch of calls without a key, by the hash of the address, in one statement. Rows are locked in the order of
 * their meters, as `charge_keys` does, so that two batches never deadlock.
 */
export async function chargeAddresses(sql: Sql, asked: Asked[], now: Date | null): Promise<CountedAddress[]> {
  const batch = asked.map(({ hash, calls }, index) => {
    return { place: index + 1, meter: `address:${hash.toString('hex')}`, calls }
  })
  return sql<CountedAddress[]>`
    select
      asked.place, asked.meter,
      ${KEYLESS.calls_per_month}::integer as month_limit, ${KEYLESS.calls_per_minute}::integer as burst_limit,
      charged.granted, charged.month_used, charged.day::text, charged.month_resets_in,
      charged.burst_started_at::text, charged.burst_resets_in,
      ${stateColumns(sql, now)}
    from (
      select place, meter, calls
      from jsonb_to_recordset(${sql.json(batch)}) as given (place integer, meter text, calls integer)
      order by meter collate "C"
    ) as asked
    cross join lateral charge(
      asked.meter, ${KEYLESS.calls_per_month}::integer,
      asked.meter, ${KEYLESS.calls_per_minute}::integer,
      asked.calls, ${clock(sql, now)}
    ) as charged`
}

/**
 * Drops the counters of addresses that no longer limit anybody: those of past months, and minutes that began over an
 * hour ago. Rows that a call is charging at the moment are left for the next time.
 * @returns how many were dropped.
 */
export async function dropStaleAddresses(sql: Sql, now: Date | null): Promise<number> {
  const [row] = await sql<{ dropped: number }[]>`
    with months as (
      delete from monthly_usage
      where (meter, month) in (
        select meter, month
        from monthly_usage
        where meter like 'address:%' and month < date_trunc('month', ${clock(sql, now)} at time zone 'utc')::date
        for update skip locked
      )
      returning 1
    ), minutes as (
      delete from burst_usage
      where meter in (
        select meter
        from burst_usage
        where meter like 'address:%' and started_at < ${clock(sql, now)} - interval '1 hour'
        for update skip locked
      )
      returning 1
    )
    select (select count(*) from months) + (select count(*) from minutes) as dropped`
  return row?.dropped ?? 0
}

/** What the call at this place among those of its key is told. */
export function keyChargeOf(row: CountedKey, index: number): KeyCharge {
  const { key_id: keyId, account_id: accountId, plan } = row
  const charge = told(row, index, `account:${accountId}`, `key:${keyId}`)
  return Object.assign(charge, { keyId, accountId, plan })
}

/** What the call at this place among those of its address is told. */
export function addressChargeOf(row: CountedAddress, index: number): Charge {
  return told(row, index, row.meter, row.meter)
}

function told(row: Counted, index: number, monthMeter: string, burstMeter: string): Charge {
  const before = row.granted ?? 0
  const granted = index < before
  const used = granted ? row.month_used - before + index + 1 : row.month_used
  return {
    granted,
    refusedBy: granted ? null : row.month_used >= row.month_limit ? 'month' : 'burst',
    monthLimit: row.month_limit,
    monthRemaining: Math.max(0, row.month_limit - used),
    monthResetsInSeconds: row.month_resets_in,
    burstLimit: row.burst_limit,
    burstResetsInSeconds: row.burst_resets_in,
    monthMeter,
    day: row.day,
    burstMeter,
    burstStartedAt: row.burst_started_at,
    state: { version: row.version, now_ms: row.now_ms },
  }
}

/**
 * Gives charged calls back; tries again while the database is away. Never throws. As a parameter, a timestamptz would
 * lose the microseconds that name the minute (the driver makes a `Date` of it); in JSON it stays text.
 */
export async function giveBack(sql: Sql, charges: Charge[]): Promise<void> {
  const calls = charges.map(({ monthMeter, day, burstMeter, burstStartedAt }) => {
    return { month_meter: monthMeter, day, burst_meter: burstMeter, burst_start: burstStartedAt }
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
