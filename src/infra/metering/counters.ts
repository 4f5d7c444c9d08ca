import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { KEYLESS, PLANS, type Plan } from '../../contract/plans.ts'
import type { DataKind } from '../postgres/dataKind.ts'
import type { Fragment, Sql, SqlContext } from '../postgres/sql.ts'
import { worksAt } from './keys.ts'

/** The outcome of charging one call. */
export type Charge = ReturnType<typeof chargeOf>

/** A call that was charged to a key. */
export type KeyCharge = ReturnType<typeof keyChargeOf>

/** The calls of one key or IP block in a batch. */
export interface BatchItem {
  /** Its position in the batch. */
  position: number
  /** The hash of the key or IP block, in hexadecimal. */
  hash: string
  calls: number
  /** The operations of its calls, in their order, with commas between them. */
  operations: string
}

/** The outcome for the calls of one key or IP block. */
export interface BatchResult {
  position: number
  month_meter: string
  /** The day (UTC): 2026-11-21. */
  day: string
  burst_meter: string
  burst_started_at: string
  /** Null for an IP block. */
  key_id: string | null
  month_limit: number
  burst_limit: number
  /** How many of the calls are granted: the first ones. */
  granted: number
  month_used: number
  burst_used: number
  month_resets_in: number
  burst_resets_in: number
  data_kind: DataKind
}

export interface KeyBatchResult extends BatchResult {
  key_id: string
  account_id: number
  plan: Plan
  /**
   * Whether its owner made the key on the account page; else an operator did.
   */
  made_by_owner: boolean
}

/**
 * While the database is away, giving back is repeated once a second for 10
 * minutes: shorter than `given_back` keeps its ids.
 */
const RETRY_MS = 1_000
const ATTEMPTS = 600

/**
 * Charges a batch by the hashes of keys.
 * @returns one row for each live key; none for an unknown or revoked one.
 */
export async function chargeKeys({ sql, now }: SqlContext, items: BatchItem[]) {
  const plans = sql.json(PLANS)
  const callers = sql`
    select
      item.position, item.calls, item.operations, k.id as key_id, k.account_id, plan.name as plan, k.plan is null as made_by_owner,
      'account:' || k.account_id as month_meter, 'key:' || k.id as burst_meter,
      coalesce(k.calls_per_month, (${plans}::jsonb -> plan.name ->> 'calls_per_month')::integer) as month_limit,
      coalesce(k.calls_per_minute, (${plans}::jsonb -> plan.name ->> 'calls_per_minute')::integer) as burst_limit
    from jsonb_to_recordset(${sql.json(items as never)}) as item (position integer, hash text, calls integer, operations text)
    join keys k on k.secret_hash = decode(item.hash, 'hex') and ${worksAt(now)}
    -- A look-up, since a third table in the join takes longer to plan.
    cross join lateral (select coalesce(k.plan, (select a.plan from accounts a where a.id = k.account_id)) as name) as plan`
  return charge(sql, callers, now)
}

/**
 * Charges a batch by the hashes of the IP blocks of callers without a key.
 * @param times how many allowances a block has.
 */
export async function chargeIpBlocks(
  { sql, now }: SqlContext,
  items: BatchItem[],
  times: number,
): Promise<BatchResult[]> {
  const callers = sql`
    select
      position, calls, '' as operations, null::uuid as key_id, null::bigint as account_id, null as plan, null as made_by_owner,
      'ip_block:' || hash as month_meter, 'ip_block:' || hash as burst_meter,
      ${KEYLESS.calls_per_month * times}::integer as month_limit, ${KEYLESS.calls_per_minute * times}::integer as burst_limit
    from jsonb_to_recordset(${sql.json(items as never)}) as item (position integer, hash text, calls integer)`
  return charge(sql, callers, now)
}

async function charge(sql: Sql, callers: Fragment, now: Fragment) {
  return sql<KeyBatchResult[]>`
    with caller as materialized (${callers}),
    batch as (
      select
        array_agg(month_meter order by position) as month_meters, array_agg(month_limit order by position) as month_limits,
        array_agg(burst_meter order by position) as burst_meters, array_agg(burst_limit order by position) as burst_limits,
        array_agg(calls order by position) as calls, array_agg(operations order by position) as operation_lists,
        ${now} as moment
      from caller
    )
    select
      position, key_id, account_id, plan, made_by_owner, month_meter, month_limit, burst_meter, burst_limit, granted, month_used, burst_used,
      (moment at time zone 'utc')::date::text as day,
      ceil(extract(epoch from
        (date_trunc('month', moment at time zone 'utc') + interval '1 month') at time zone 'utc' - moment
      )) as month_resets_in,
      burst_started_at::text,
      greatest(1, ceil(extract(epoch from burst_started_at + interval '1 minute' - moment))) as burst_resets_in,
      (select kind from data_version) as data_kind
    from batch
    cross join lateral charge_calls_and_tell_minutes(month_meters, month_limits, burst_meters, burst_limits, batch.calls, operation_lists, moment) as charged
    join caller using (burst_meter)`
}

/** The outcome of the call at this position, from 0, among those of its key. */
export function keyChargeOf(
  row: KeyBatchResult,
  index: number,
  operation: string,
) {
  const {
    key_id: keyId,
    account_id: accountId,
    plan,
    made_by_owner: madeByOwner,
  } = row
  return Object.assign(chargeOf(row, index, operation), {
    keyId,
    accountId,
    plan,
    madeByOwner,
  })
}

/**
 * The outcome of the call at this position, from 0, among those of its key or
 * IP block.
 */
export function chargeOf(row: BatchResult, index: number, operation: string) {
  const granted = index < row.granted
  /** Used once this call is counted. */
  const countedOf = (all: number) =>
    granted ? all - row.granted + index + 1 : all
  const exceeded: 'month' | 'burst' =
    row.month_used >= row.month_limit ? 'month' : 'burst'
  return {
    granted,
    /** Which limit refused; the month, when both are exceeded. */
    refusedBy: granted ? null : exceeded,
    monthLimit: row.month_limit,
    monthRemaining: Math.max(0, row.month_limit - countedOf(row.month_used)),
    monthResetsInSeconds: row.month_resets_in,
    burstLimit: row.burst_limit,
    burstRemaining: Math.max(0, row.burst_limit - countedOf(row.burst_used)),
    burstResetsInSeconds: row.burst_resets_in,
    /** What was charged, as the function `give_back` reads it. */
    chargedTo: { ...row, operation },
    /** What the data were when the call was charged. */
    dataKind: row.data_kind,
  }
}

/**
 * Gives charged calls back to their month, and to their minute too where
 * `minute` is true. Repeats it while the database is away; the id makes that
 * safe where only the answer was lost. Never throws.
 */
export async function giveBack(
  context: () => SqlContext,
  charges: Charge[],
  { minute }: { minute: boolean },
) {
  const id = randomUUID()
  // In JSON the timestamp stays text: as a parameter it would lose the
  // microseconds that name the minute.
  const given = charges.map(({ chargedTo }) =>
    minute ? chargedTo : { ...chargedTo, burst_meter: null },
  )
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    try {
      const { sql } = context()
      await sql`select give_back(${id}::uuid, ${sql.json(given as never)})`
      return
    } catch {
      await sleep(RETRY_MS, undefined, { ref: false })
    }
  }
}

/**
 * Adds the appended calls of operations to their months. A periodic job, in any
 * number of processes.
 */
export async function sumOperationCalls({ sql }: SqlContext): Promise<void> {
  await sql`
    with taken as (
      delete from operation_calls returning key_id, month, operation, calls
    )
    insert into operation_usage as u (key_id, month, operation, calls)
    select key_id, month, operation, sum(calls) from taken
    group by key_id, month, operation
    order by key_id, month, operation
    on conflict (key_id, month, operation) do update set calls = u.calls + excluded.calls`
}

/**
 * Deletes counters of IP blocks that no longer limit a caller (those of past
 * months, and minutes that began over an hour ago, or begin in over an hour, by
 * a clock that was ahead), except those that a call is being charged to; the
 * ids of what was given back over an hour ago; and the calls that operators no
 * longer see.
 */
export async function dropStaleIpBlocks({
  sql,
  now,
}: SqlContext): Promise<void> {
  await sql`
    with months as (
      delete from monthly_usage
      where (meter, month) in (
        select meter, month
        from monthly_usage
        where meter like 'ip_block:%' and month < date_trunc('month', ${now} at time zone 'utc')::date
        for update skip locked
      )
    ), ids as (
      delete from given_back where given_at < now() - interval '1 hour'
    )
    delete from burst_usage
    where meter in (
      select meter
      from burst_usage
      where meter like 'ip_block:%'
      and started_at not between ${now} - interval '1 hour' and ${now} + interval '1 hour'
      for update skip locked
    )`
}
