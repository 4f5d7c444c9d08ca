import { READING_VERSION } from '../../domain/feeds/lotRow.ts'
import { fragment, type Sql } from '../postgres/sql.ts'
import { IS_MISSING, mayHaveEnded } from './closings.ts'

/**
 * What a load would take away from the open lots of a source, that the answer
 * before did not say too.
 */
export interface Doubt {
  source: string
  open_lots: number
  /** How many of them would lose anything, and by what. */
  lots: number
  bids: number
  ends: number
  titles: number
  details: number
  ids: number
}

/** Columns that a source seldom empties. */
const DETAILS = [
  ...[
    'description',
    'state',
    'city',
    'zip',
    'condition_grade',
    'image_url',
    'bid_increment_cents',
  ],
  'auction_name',
]

const detailsMissing = (table: string) =>
  fragment`num_nulls(${fragment(DETAILS.map(name => `${table}.${name}`))})`

/**
 * What each open lot of these sources would lose by the staged rows, in words:
 * its bid or part of it, its end, its title, details, or its id in the source,
 * where a new lot has its title. A lot that another version of the reading
 * wrote is not compared.
 */
function losses(sources: string[], now: Date) {
  const moment = fragment`${now.toISOString()}::timestamptz`
  return fragment`
    with open_lots as materialized (
      select lots.*, ${mayHaveEnded(now)} as may_have_ended
      from lots
      where source = any(${sources}) and is_open and ends_at > ${moment}
    ), compared as (
      select
        lots.id, lots.source,
        case
          when staged.outcome is null
            and (
              coalesce(staged.current_bid_cents, 0) < lots.current_bid_cents
              or staged.num_bids < lots.num_bids
            )
          then 'bid'
        end as bid,
        case
          when staged.ends_at = 'infinity' and lots.ends_at < 'infinity' then 'end'
          when lots.may_have_ended and staged.ends_at > ${moment} - interval '1 day' then null
          when staged.outcome is not null or staged.ends_at <= ${moment} then 'end ' || staged.ends_at
        end as "end",
        case when staged.title <> lots.title then 'title ' || staged.title end as title,
        case when ${detailsMissing('staged')} > ${detailsMissing('lots')} then 'details' end as details,
        null as id_of_source
      from open_lots as lots
      join staged using (source, source_id)
      where staged.reason is null and not staged.is_left_out and lots.reading = ${READING_VERSION}
      union all
      select id, source, null, null, null, null, 'id'
      from open_lots as lots
      where not may_have_ended
      and ${IS_MISSING}
      and (source, title) in (
        select staged.source, staged.title
        from staged
        left join lots as known using (source, source_id)
        where staged.reason is null and known.id is null
      )
    ), said as (
      select *, concat_ws(' ', bid, "end", title, details, id_of_source) as says from compared
    )`
}

/**
 * What the staged rows would take away from each of these sources, and the
 * refused load before would not have.
 */
export async function doubtsOf(
  sql: Sql,
  sources: string[],
  now: Date,
): Promise<Doubt[]> {
  return sql<Doubt[]>`
    ${losses(sources, now)}
    select
      said.source, (select count(*) from open_lots where open_lots.source = said.source) as open_lots,
      count(*) as lots,
      count(bid) as bids, count("end") as ends, count(title) as titles, count(details) as details,
      count(id_of_source) as ids
    from said
    left join doubted_lots on doubted_lots.lot_id = said.id
    where said.says <> '' and said.says is distinct from doubted_lots.says
    group by said.source`
}

/**
 * Stores what the staged rows would take away from a source, for the comparison
 * with the next load.
 */
export async function storeDoubts(
  sql: Sql,
  source: string,
  now: Date,
): Promise<void> {
  await forgetDoubts(sql, [source])
  await sql`
    ${losses([source], now)}
    insert into doubted_lots (lot_id, source, says)
    select id, source, says
    from said
    where says <> ''
    on conflict (lot_id) do nothing`
}

export async function forgetDoubts(sql: Sql, sources: string[]): Promise<void> {
  await sql`delete from doubted_lots where source = any(${sources})`
}
