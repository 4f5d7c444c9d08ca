import { type LotRow, type LotTable, lotTableBuilder } from '../../domain/search/lotTable.ts'
import { fragment, type Sql, type SqlContext } from '../postgres/sql.ts'

/** A table of the open lots, and the data it was read from. */
export interface BuiltTable {
  table: LotTable
  /** The listings version: it changes with anything that a search filters or sorts by, but for scores and values. */
  offers: number
  /** The version of the scores and values. */
  scores: number
}

/** Reads all open lots, from one snapshot. @param sql one connection, no pool: this is a transaction. */
export async function readTable({ sql, now }: SqlContext) {
  return sql.begin('isolation level repeatable read read only', async transaction => {
    // The driver gives a transaction another type than a pool; both run statements.
    const snapshot = transaction as unknown as Sql
    // Sorting 1,000,000 lots by id takes some 150 MB.
    await snapshot`set local work_mem = '256MB'`
    // Workers would take both cores of a small machine from its searches: `node --import tsx bench/size.ts --lots 1000000`.
    await snapshot`set local max_parallel_workers_per_gather = 0`
    // Behind a pooler, the role may have a timeout for exports.
    await snapshot`set local statement_timeout = 0`
    const [{ offers, scores, now_ms, lots }] = await snapshot<
      [Record<'offers' | 'scores' | 'now_ms' | 'lots', number>]
    >`
      select
        v.offers, v.scores,
        to_ms(${now}) as now_ms,
        (select count(*) from lots where is_open and ends_at > ${now}) as lots
      from data_version v`
    const builder = lotTableBuilder(lots, now_ms)
    await snapshot<LotRow[]>`
      select ${TABLE_COLUMNS}
      from lots l
      join sources s using (source)
      where l.is_open and l.ends_at > ${now}
      order by l.id`.forEach(lot => {
      builder.add(lot)
    })
    return { table: builder.build(), offers, scores }
  }) as Promise<BuiltTable>
}

/**
 * The columns of a lot of the table, for a query with `l` for lots and `s` for their sources: a subquery would take four times as long for
 * each end.
 */
export const TABLE_COLUMNS = fragment`
    l.id, l.category, l.state, l.source, l.latitude, l.longitude, l.price_cents, l.num_bids,
    l.buy_now_cents is not null as has_buy_now, l.flip_score, l.approximate_value_cents, l.profit_rank,
    l.vehicle_year, l.vehicle_make, l.auction_id,
    to_ms(l.starts_at) as starts_ms,
    to_ms(l.ends_at) as ends_ms,
    to_ms(earliest_close(l.ends_at, s.time_zone, s.closes_from_hour)) as closes_ms`
