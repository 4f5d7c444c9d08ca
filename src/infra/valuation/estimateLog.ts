import { leafHash, merkleRoot } from '../../domain/merkleTree.ts'
import type { AppraisalRow } from '../../domain/valuation/appraisalRow.ts'
import type { ValueBand } from '../../domain/valuation/calibratedValue.ts'
import { MAY_LEAVE } from '../archives/archiveRows.ts'
import type { Sql } from '../postgres/sql.ts'
import { fragment } from '../postgres/sql.ts'

/** What was written down of a lot. Its leaf is this as JSON without blanks, the names in this, alphabetical order (RFC 8785). */
interface Entry extends ValueBand {
  /** UTC, as 2026-11-22. */
  day: string
  estimated_value_cents: number
  listing_id: string
  nonce: string
}

type Estimated = Pick<AppraisalRow, 'lot_id' | 'estimated_value_cents' | keyof ValueBand>

/** A finished day, and the root over its entries in hexadecimal. */
export interface EstimateDay {
  day: string
  entries: number
  root: string
}

/**
 * Logs the estimates of lots that have none in the log yet, under the day (UTC) of `now`, or under the first one that is not published
 * yet. Only lots of sources whose rows may leave as files, and each lot with several listings once. Must run under the load lock.
 */
export async function logEstimates(sql: Sql, rows: readonly Estimated[], now: Date) {
  await sql`
    insert into estimates (
      lot_id, day, estimated_value_cents, likely_low_cents, likely_high_cents, range_low_cents, range_high_cents
    )
    select
      lot_id, greatest(${dayOf(now)}, (select max(day) + 1 from estimate_days)),
      estimated_value_cents, likely_low_cents, likely_high_cents, range_low_cents, range_high_cents
    from json_populate_recordset(null::estimates, ${JSON.stringify(rows)}::text::json) as given
    join lots on lots.id = given.lot_id
    where duplicate_of is null and ${MAY_LEAVE}
    on conflict do nothing`
}

/** Publishes the roots of the days before that of `now` (UTC). Must run under the load lock, so that no entry comes later. */
export async function publishFinishedDays(sql: Sql, now: Date) {
  const finished = await sql<{ day: string }[]>`
    select distinct day::text
    from estimates
    where day > coalesce((select max(day) from estimate_days), '-infinity')
    and day < ${dayOf(now)}
    order by day`
  for (const { day } of finished) {
    const entries = await sql<Entry[]>`
      select ${ENTRY_COLUMNS}
      from estimates
      where day = ${day}
      order by lot_id`
    const root = merkleRoot(entries.map(entry => leafHash(JSON.stringify(entry)))).toString('hex')
    await sql`
      insert into estimate_days (day, entries, root)
      values (${day}, ${entries.length}, ${root})`
  }
}

/** The newest 365 published days, newest first. */
export async function readEstimateDays(sql: Sql) {
  return sql<EstimateDay[]>`
    select day::text, entries, root
    from estimate_days
    order by day desc
    limit 365`
}

/**
 * The entries of a published day in the order of its tree; null for any other day. One is in full once its lot is closed, with the
 * closing price (null for a lot without a sale) and the official page; before that it is only its hash, in hexadecimal.
 */
export async function readEstimatesOf(sql: Sql, publicUrl: string, day: string) {
  const [published] = await sql<EstimateDay[]>`
    select day::text, entries, root
    from estimate_days
    where day::text = ${day}`
  if (!published) return null
  const rows = await sql<(Entry & { is_open: boolean | null; facts: object })[]>`
    select
      ${ENTRY_COLUMNS}, is_open,
      json_build_object(
        'price_cents', final_bid_cents, 'price_basis', price_basis, 'url', official_page(source_url, slug, ${publicUrl})
      ) as facts
    from estimates
    left join lots on lots.id = lot_id
    where day = ${day}
    order by lot_id`
  return {
    ...published,
    estimates: rows.map(({ is_open, facts, ...entry }) =>
      is_open ? { hash: leafHash(JSON.stringify(entry)).toString('hex') } : { entry, ...facts },
    ),
  }
}

function dayOf(moment: Date) {
  return fragment`(${moment.toISOString()}::timestamptz at time zone 'utc')::date`
}

/** The columns of `Entry`, in its order. */
const ENTRY_COLUMNS = fragment`
    day::text, estimated_value_cents, likely_high_cents, likely_low_cents, lot_id as listing_id, nonce,
    range_high_cents, range_low_cents`
