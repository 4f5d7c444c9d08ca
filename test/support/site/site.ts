import type { Sql } from '../../../src/infra/postgres/database.ts'
import { DAY, fromNow, insertAppraisal, insertSales } from '../lots/fixtures.ts'
import { insertSearchWorld } from '../lots/searchWorld.ts'

/**
 * The lots of the search tests; the truck among them has a market, and one lot is known to be sold.
 */
export async function furnish(sql: Sql): Promise<void> {
  const [truckId] = await insertSearchWorld(sql)
  const sold = [300_000, 512_345, 598_765, 640_000, 761_234]
  const saleIds = await insertSales(
    sql,
    sold.map((final_bid_cents, index) => ({
      title: `2014 Ford F-150 XL, sold before, number ${index}`,
      category: 'vehicles',
      sold_at: fromNow(-(index + 1) * DAY),
      final_bid_cents,
    })),
  )
  await insertAppraisal(sql, {
    lot_id: truckId!,
    sale_ids: saleIds,
    similarities: saleIds.map((_, index) => 0.9 - index / 10),
  })
}
