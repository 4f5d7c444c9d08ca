import type { AppraisalRow } from '../../domain/appraisal/appraisalRow.ts'
import { HOUR_MS } from '../../domain/durations.ts'
import { leafHash, merkleRoot } from '../../domain/merkleTree.ts'
import type { ValueBand } from '../../domain/valuation/calibratedValue.ts'
import { MAY_LEAVE } from '../archives/archiveRows.ts'
import { asJson, fragment, type Sql } from '../postgres/sql.ts'

/**
 * The logs of what was said before prices were known, by their tables, with the
 * columns of an entry. Its leaf is these as JSON without blanks, the names in
 * this, alphabetical order (RFC 8785).
 */
const LOGS = {
  estimates: fragment`
    day::text, estimated_value_cents, likely_high_cents, likely_low_cents, lot_id as listing_id, nonce,
    range_high_cents, range_low_cents`,
  closes: fragment`
    close_cents, day::text, hours, likely_high_cents, likely_low_cents, lot_id as listing_id, nonce`,
  limits: fragment`day::text, grade, limits.limit_cents, lot_id as listing_id, nonce`,
}

export type ProvenLog = keyof typeof LOGS

export const PROVEN_LOGS = Object.keys(LOGS) as ProvenLog[]

type Estimated = Pick<
  AppraisalRow,
  'lot_id' | 'estimated_value_cents' | keyof ValueBand
>

/** A finished day, and the root over its entries in hexadecimal. */
interface ProvenDay {
  day: string
  entries: number
  root: string
}

export interface ProvenEntry {
  entry: object
  /** Null for a lot that is gone. */
  is_open: boolean | null
  /** The closing price (null without a sale), and the official page. */
  facts: object
}

/**
 * Logs the estimates of lots that have none in the log yet, under the day (UTC)
 * of `now`, or under the first one that is not published yet. Only lots of
 * sources whose rows may leave as files, and each lot with several listings
 * once. Must run under the load lock.
 */
export async function logEstimates(
  sql: Sql,
  rows: readonly Estimated[],
  now: Date,
): Promise<void> {
  await sql`
    insert into estimates (
      lot_id, day, estimated_value_cents, likely_low_cents, likely_high_cents, range_low_cents, range_high_cents
    )
    select
      lot_id, greatest(${dayOf(now)}, (select max(day) + 1 from estimate_days)),
      estimated_value_cents, likely_low_cents, likely_high_cents, range_low_cents, range_high_cents
    from json_populate_recordset(null::estimates, ${asJson(rows)}) as given
    join lots on lots.id = given.lot_id
    where duplicate_of is null and ${MAY_LEAVE}
    on conflict do nothing`
}

/**
 * Publishes the roots of the days (UTC) that ended an hour before `now` or
 * earlier: until then a close may be logged again. Must run under the load
 * lock, so that no estimate comes later.
 */
export async function publishFinishedDays(sql: Sql, now: Date): Promise<void> {
  const today = dayOf(new Date(now.getTime() - HOUR_MS))
  for (const log of PROVEN_LOGS) {
    const finished = await sql<{ day: string }[]>`
      select distinct day::text
      from ${sql(log)}
      where day > coalesce((select max(day) from ${daysOf(log)}), '-infinity')
      and day < ${today}
      order by day`
    for (const { day } of finished) {
      const leaves = (await readEntries(sql, '', log, day)).map(({ entry }) =>
        leafHash(JSON.stringify(entry)),
      )
      await sql`
        insert into ${daysOf(log)} (day, entries, root)
        values (${day}, ${leaves.length}, ${merkleRoot(leaves).toString('hex')})`
    }
  }
}

/** The published days of a log, newest first. */
export async function readProvenDays(
  sql: Sql,
  log: ProvenLog,
): Promise<ProvenDay[]> {
  return sql<ProvenDay[]>`
    select day::text, entries, root
    from ${daysOf(log)}
    order by day desc`
}

/** The entries of a day in the order of its tree. */
export async function readEntries(
  sql: Sql,
  publicUrl: string,
  log: ProvenLog,
  day: string,
): Promise<ProvenEntry[]> {
  return sql<ProvenEntry[]>`
    select
      (select to_json(logged) from (select ${LOGS[log]}) as logged) as entry,
      is_open,
      json_build_object(
        'price_cents', final_bid_cents, 'price_basis', price_basis, 'url', official_page(source_url, slug, ${publicUrl})
      ) as facts
    from ${sql(log)}
    left join lots on lots.id = lot_id
    where day = ${day}
    order by lot_id, nonce`
}

/**
 * What was said of a lot before its price was known, and on which day (UTC);
 * null where nothing was logged. In US cents.
 */
export interface LoggedEstimate {
  day: string
  estimated_value_cents: number
  /** The limit that was logged the day before the end; null where none was. */
  limit_cents: number | null
}

/** The logged estimate of a lot. @param lotId its id in the database. */
export async function readLoggedEstimate(
  sql: Sql,
  lotId: string,
): Promise<LoggedEstimate | null> {
  const [logged] = await sql<LoggedEstimate[]>`
    select estimates.day::text, estimated_value_cents, limit_cents
    from estimates
    left join limits using (lot_id)
    where lot_id = ${lotId}`
  return logged ?? null
}

const daysOf = (log: ProvenLog) => fragment(`${log.slice(0, -1)}_days`)

function dayOf(moment: Date) {
  return fragment`(${moment.toISOString()}::timestamptz at time zone 'utc')::date`
}
