import type { Schemas } from '../../contract/types.ts'
import {
  type Fragment,
  firstRow,
  fragment,
  jsonList,
  onlyRow,
  type SqlContext,
} from '../postgres/sql.ts'
import {
  type ListingContext,
  LOTS_OF_SOURCES,
  type LotKey,
  listingJson,
} from './columns.ts'
import type { SaleFilter } from './sales.ts'

/** The most changes that one answer looks at; the contract names it. */
const MOST_LOOKED_AT = 10_000
/** The most points of one lot; the contract names it. */
const MOST_BIDS = 5_000
/** A due time that passed longer ago belongs to a sweeper that has stopped. */
const LONGEST_DELAY = '10 minutes'
/**
 * GSA, the source with live bids, is fetched no more often
 * (data/official-sources.json).
 */
const LEAST_GAP = '20 seconds'

/** The filters of the changes. A null does not filter. */
export interface ChangeFilter
  extends Pick<SaleFilter, 'category' | 'state' | 'source'> {
  kind: Schemas['ChangeKind'] | null
}

/** The changes after a start, and the state of the log in the same snapshot. */
interface FoundChanges {
  /** The changes after this one were read. */
  start: number
  /** The cursor that stands there now. */
  start_cursor: string
  /**
   * Whether the change after the start is still kept; false too where there is
   * none yet.
   */
  is_next_kept: boolean
  last_change: number
  /** The last change that was looked at, and its cursor. */
  next: number
  next_cursor: string
  /** A JSON array of Change, as PostgreSQL wrote it. */
  text: string
}

/**
 * The changes after a cursor, oldest first, each with its lot as it is now.
 * Changes are numbered in the order in which they are committed and without
 * gaps (migrations/0007_changes.sql), so the next page begins where this one
 * ended.
 * @param cursor of an earlier answer; `latest`: after the last change; null:
 * before the oldest that is kept.
 */
export async function findChanges(
  context: ListingContext,
  cursor: string | null,
  filter: ChangeFilter,
  limit: number,
): Promise<FoundChanges> {
  const { sql } = context
  const { kind, category, state, source } = filter
  const start = startOf(cursor)
  return onlyRow(sql`
    with wanted as materialized (
      select c.*
      from lot_changes c
      join lots l on l.id = c.lot_id
      where c.seq > ${start} and c.seq <= ${start} + ${MOST_LOOKED_AT}
      and (${kind}::text is null or c.kind = ${kind})
      and (${source}::text is null or l.source = ${source})
      and (
        ((${category}::text is null or l.category = ${category}) and (${state}::text is null or l.state = ${state}))
        -- A lot that leaves a filter is reported there once more.
        or (
          (${category}::text is null or c.category_before = ${category})
          and (${state}::text is null or c.state_before = ${state})
          and c.category_before is not null
        )
      )
      order by c.seq
      limit ${limit}
    ),
    looked_at as (
      select
        last_change,
        case
          when (select count(*) from wanted) = ${limit} then (select max(seq) from wanted)
          else least(${start} + ${MOST_LOOKED_AT}, last_change)
        end as next
      from data_version
    )
    select
      ${start} as start,
      exists (select from lot_changes where seq = ${start} + 1) as is_next_kept,
      ${cursorAfter(start)} as start_cursor,
      (select last_change from looked_at) as last_change,
      (select next from looked_at) as next,
      ${cursorAfter(fragment`(select next from looked_at)`)} as next_cursor,
      coalesce(json_agg(change), '[]')::text as text
    from (
      select
        w.kind, rfc3339(w.observed_at) as observed_at, w.current_bid_cents, w.num_bids,
        rfc3339(w.ends_at) as end_date, w.fell, ${listingJson(context)} as listing
      from wanted w
      join ${LOTS_OF_SOURCES} as l on l.id = w.lot_id
      order by w.seq
    ) as change`)
}

/** The number of the change that a cursor stands after, as SQL. */
function startOf(cursor: string | null) {
  const last = fragment`(select last_change from data_version)`
  if (cursor === 'latest') return last
  return cursor === null
    ? fragment`coalesce((select min(seq) - 1 from lot_changes), ${last})`
    : fragment`${cursor.split('-', 1)[0]!}::bigint`
}

/**
 * The cursor that stands after a change, as SQL: its number, and a checksum of
 * it where it is kept. After a restore from a backup other changes get the
 * numbers of the lost ones, and the checksum refuses the cursors of those.
 */
function cursorAfter(number: Fragment) {
  return fragment`concat_ws('-', ${number}, (
    select left(md5(concat_ws(' ', lot_id, rfc3339(observed_at), kind, current_bid_cents, num_bids, rfc3339(ends_at), fell)), 8)
    from lot_changes
    where seq = ${number}
  ))`
}

/**
 * A BidList as JSON, of a lot by its id or by its slug; null where there is
 * none.
 */
export async function findBids(
  { sql, now }: ListingContext,
  by: LotKey,
): Promise<{ text: string } | null> {
  return firstRow(sql<{ text: string }[]>`
    select
      json_build_object(
        'data', ${OBSERVED_BIDS},
        'basis', 'observed',
        'next_observation_at', (
          select rfc3339(greatest(next_due_at, ${now} + ${LEAST_GAP}::interval))
          from sweeps
          where source = l.source
          and l.is_open
          and l.ends_at > ${now}
          and next_due_at > ${now} - ${LONGEST_DELAY}::interval
        )
      )::text as text
    from lots l
    where ${'id' in by ? sql`l.id = ${by.id}::uuid` : sql`l.slug = ${by.slug}`}
    order by l.id
    limit 1`)
}

/**
 * The bids of the lot called `l`, as a JSON array of Bid. Most of its changes
 * leave the bid as it was.
 */
export const OBSERVED_BIDS = jsonList(fragment`
    select
      rfc3339(observed_at) as observed_at, current_bid_cents, num_bids,
      coalesce(coalesce(current_bid_cents, 0) < bid_before, false) as fell
    from (
      select *
      from (
        select
          c.seq, c.observed_at, c.current_bid_cents, c.num_bids,
          lag(c.current_bid_cents) over by_time as bid_before,
          lag(c.num_bids) over by_time as bids_before
        from lot_changes c
        where c.lot_id = l.id
        window by_time as (order by c.seq)
      ) as seen
      where (current_bid_cents, num_bids) is distinct from (bid_before, bids_before)
      order by seq desc
      limit ${MOST_BIDS}
    ) as points
    order by seq`)

/** When a lot last changed, by the log of changes. */
export interface LotRevision {
  /**
   * RFC 3339. Scores are estimates of this service, and no change of the lot.
   */
  changed_at: string | null
  /**
   * Rises with each move of its end: the seconds from 2020 to the last one; 0
   * without one. The log forgets, so a count could fall.
   */
  sequence: number
}

/**
 * The revisions of lots by their ids; none of a lot whose changes are no longer
 * kept.
 */
export async function readLotRevisions(
  { sql }: SqlContext,
  ids: string[],
): Promise<Map<string, LotRevision>> {
  const rows = await sql<(LotRevision & { lot_id: string })[]>`
    select
      lot_id,
      rfc3339(max(observed_at) filter (where kind <> 'score')) as changed_at,
      coalesce(
        extract(epoch from max(observed_at) filter (where kind = 'end_moved') - timestamptz '2020-01-01 UTC')::integer, 0
      ) as sequence
    from lot_changes
    where lot_id = any (${`{${ids}}`}::text::uuid[])
    group by lot_id`
  return new Map(rows.map(row => [row.lot_id, row]))
}
