import { clock, liveAt } from '../postgres/dataVersion.ts'
import type { Sql } from '../postgres/sql.ts'

/** A Flip Score from which a lot is a deal; a badge calls it good. */
const LEAST_SCORE = 60
const DEALS_OF_CATEGORY = 2

/** What the front page says about all live lots. */
export interface Overview {
  live: number
  /** How many sources the lots come from. */
  sources: number
  /** When a source was last loaded completely, RFC 3339; null while none was. */
  updated_at: string | null
  /** The number of live lots by category and by state; those without any are left out. */
  categories: Record<string, number>
  states: Record<string, number>
  /** Ids: at most two of a category, each with a bid or in its last day, the first of every category before all second ones. */
  deals: string[]
  /** Ids, the next to end first. */
  ending: string[]
}

/** Counts all live lots and chooses those of the front page, in one statement. @param most the number of lots in each list. */
export async function readOverview(sql: Sql, now: Date | null, most: number): Promise<Overview> {
  const [overview] = await sql<Overview[]>`
    with live as materialized (
      select l.id, l.category, l.state, l.source, l.flip_score, l.appraised, l.num_bids, l.ends_at
      from lots l
      where ${liveAt(sql, now)}
    ),
    deals as (
      select id, flip_score, row_number() over (partition by category order by flip_score desc, ends_at, id) as place
      from live
      where flip_score >= ${LEAST_SCORE}
      and appraised
      and (num_bids > 0 or ends_at <= ${clock(sql, now)} + interval '1 day')
    )
    select
      (select count(*) from live) as live,
      (select count(distinct source) from live) as sources,
      (select rfc3339(max(last_success_at)) from sources) as updated_at,
      (
        select coalesce(json_object_agg(category, lots), '{}')
        from (select category, count(*) as lots from live group by category) as counted
      ) as categories,
      (
        select coalesce(json_object_agg(state, lots), '{}')
        from (select state, count(*) as lots from live where state is not null group by state) as counted
      ) as states,
      to_json(array(
        select id
        from deals
        where place <= ${DEALS_OF_CATEGORY}
        order by place, flip_score desc, id
        limit ${most}
      )) as deals,
      to_json(array(
        select id
        from live
        where isfinite(ends_at)
        order by ends_at, id
        limit ${most}
      )) as ending`
  return overview!
}
