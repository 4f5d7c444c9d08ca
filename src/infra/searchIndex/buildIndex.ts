import type { IndexedLot } from '../../domain/search/lotIndex.ts'
import { lotIndexBuilder } from '../../domain/search/lotIndexBuilder.ts'
import type { BuiltIndex } from '../openLots/builtIndex.ts'
import { clock } from '../postgres/clock.ts'
import type { Sql } from '../postgres/database.ts'
import { offerColumns } from '../postgres/dataVersion.ts'

/** Reads all open lots, from one snapshot. @param sql a workbench: no serving pool, since this is a transaction. */
export async function buildIndex(sql: Sql, now: Date | null): Promise<BuiltIndex> {
  const startedAt = performance.now()
  return sql.begin('isolation level repeatable read read only', async transaction => {
    // The driver gives a transaction another type than a pool; both run statements.
    const snapshot = transaction as unknown as Sql
    // For the sort by id: 1,000,000 lots take some 150 MB.
    await snapshot`set local work_mem = '256MB'`
    // Behind a pooler, the role has one for exports.
    await snapshot`set local statement_timeout = 0`
    const [state] = await snapshot<{ offers: number; scores: number; now_ms: number; lots: number }[]>`
      select
        ${offerColumns(snapshot)},
        extract(epoch from ${clock(snapshot, now)})::float8 * 1000 as now_ms,
        (select count(*) from lots where is_open and ends_at > ${clock(snapshot, now)}) as lots`
    const { offers, scores, now_ms, lots } = state!
    const builder = lotIndexBuilder(lots, now_ms)
    await snapshot<IndexedLot[]>`
      select
        id,
        category,
        state,
        source,
        latitude,
        longitude,
        price_cents,
        num_bids,
        buy_now_cents is not null as has_buy_now,
        flip_score,
        extract(epoch from starts_at)::float8 * 1000 as starts_ms,
        extract(epoch from ends_at)::float8 * 1000 as ends_ms
      from lots
      where is_open
      and ends_at > ${clock(snapshot, now)}
      order by id`.forEach(lot => {
      builder.add(lot as IndexedLot)
    })
    const index = builder.build()
    return { index, offers, scores, tookMs: Math.round(performance.now() - startedAt) }
  }) as Promise<BuiltIndex>
}
