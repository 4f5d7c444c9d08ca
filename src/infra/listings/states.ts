import { liveAt, SALES_WINDOW } from '../postgres/dataVersion.ts'
import type { Sql } from '../postgres/sql.ts'
import { LEAST_SALES_OF_ITEM, percentile, windowEnd } from './soldPrices.ts'

/** What is live in a state, and what lots there sold for in the trailing 365 days. */
interface StateRow {
  state: string
  live: number
  sales: number
  /** In US cents; null for fewer than five sales. */
  median_cents: number | null
}

/** Reads these states, those with the most live lots first. The sales of each are one scan of an index. */
export async function readStates(sql: Sql, now: Date | null, states: string[]): Promise<StateRow[]> {
  return sql<StateRow[]>`
    with live as (
      select l.state, count(*) as lots
      from lots l
      where ${liveAt(sql, now)}
      group by l.state
    )
    select
      wanted.state,
      coalesce(live.lots, 0) as live,
      sold.sales,
      case when sold.sales >= ${LEAST_SALES_OF_ITEM} then sold.median_cents end as median_cents
    from json_array_elements_text(${JSON.stringify(states)}::text::json) as wanted (state)
    left join live on live.state = wanted.state
    cross join lateral (
      select count(*) as sales, ${percentile(sql, 0.5)} as median_cents
      from sales
      where sales.state = wanted.state
      and sold_at >= ${windowEnd(sql, now)} - ${SALES_WINDOW}::interval
      and sold_at < ${windowEnd(sql, now)}
    ) as sold
    order by live desc, wanted.state`
}
