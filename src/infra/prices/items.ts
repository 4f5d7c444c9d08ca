import { TRACKED_ITEMS } from '../../domain/titles/trackedItems.ts'
import { liveAt } from '../postgres/clock.ts'
import { asJson, firstValue, type SqlContext } from '../postgres/sql.ts'
import {
  medianOfItem,
  PIECES,
  REAL_PRICES,
  soldInWindow,
} from './soldPrices.ts'

/**
 * Reads the tracked items, in their order, with their live lots and their sales
 * of the trailing 365 days: a JSON array of Item, as PostgreSQL wrote it. Each
 * item is one scan of an index: all together they took half as long as one
 * grouping of 700,000 sales.
 */
export async function readItems({ sql, now }: SqlContext): Promise<string> {
  const items = await firstValue<string>(sql`
    with live as (
      select l.item, count(*) as lots
      from lots l
      where l.item is not null and ${liveAt(now)}
      group by l.item
    )
    select json_agg(json_build_object(
      'slug', slug, 'name', name, 'category', category,
      'live_count', coalesce(live.lots, 0), 'sold_count', sold.sales,
      'median_cents', sold.median_cents, 'piece_count', sold.piece_count,
      'piece_median_cents', sold.piece_median_cents, 'model_year_count', sold.model_year_count, 'real', sold.real
    ) order by place)::text
    from rows from (
      json_to_recordset(${asJson(TRACKED_ITEMS)}) as (slug text, name text, category text)
    ) with ordinality as tracked (slug, name, category, place)
    left join live on live.item = tracked.slug
    cross join lateral (
      select count(*) as sales, ${medianOfItem()} as median_cents, ${PIECES}, ${REAL_PRICES}
      from sales
      where sales.item = tracked.slug and ${soldInWindow(now)}
    ) as sold`)
  return items!
}
