import { PRICE_BASES } from '../../domain/feeds/lotRow.ts'
import type { Sql } from '../postgres/database.ts'
import { columnNames } from './columnNames.ts'
import { LOT_COLUMNS } from './stagedRows.ts'

/** The rows `after < ordinal <= upTo` of the stage, either those with twins or the others. */
export interface Batch {
  after: number
  upTo: number
  hasTwins: boolean
}

/** What one batch did to the table of lots. */
export interface MergedBatch {
  lots_new: number
  lots_changed: number
}

/** What an estimate of an open lot is made from. */
const ESTIMATED_COLUMNS = ['title', 'category', 'item', 'zip'] as const
/** What a sale tells about prices. */
const SALE_COLUMNS = ['title', 'category', 'item', 'zip', 'final_bid_cents', 'sold_at'] as const
const CHANGING_COLUMNS = LOT_COLUMNS.filter(column => column !== 'source' && column !== 'source_id')

/**
 * Lets what is stored stand where it is better than what the file says. A row is old news when it knows a lot only as it
 * was before its end and the outcome is stored, or when it has a price of a worse basis for the same end. A sale without
 * a known end keeps the moment at which it was first seen.
 */
export async function keepWhatIsBetter(sql: Sql): Promise<void> {
  await sql`
    update staged
    set
      is_old_news = staged.ends_at <= lots.ends_at and (
        (staged.outcome is null and not staged.is_open and coalesce(lots.outcome in ('sold', 'unsold'), false))
        or coalesce(
          array_position(${PRICE_BASES}::text[], staged.price_basis) > array_position(${PRICE_BASES}::text[], lots.price_basis),
          false
        )
      ),
      sold_at = case
        when staged.outcome = 'sold' and lots.outcome = 'sold' and staged.ends_at = lots.ends_at then lots.sold_at
        else staged.sold_at
      end
    from lots
    where lots.id = staged.id
    and staged.reason is null
    and not staged.is_left_out
    and (lots.outcome in ('sold', 'unsold') or lots.sold_at is not null)`
}

/**
 * Brings the rows of a batch into the lots, their set-aside rows and the progress of the load
 * into the ledger: one statement, so that a crash leaves all of it or nothing. Must run under the load lock.
 *
 * The id and the slug of a lot never change. A row that says nothing new only moves `observed_at`. The search vector comes
 * from the stage, or stays where the words have stayed. What must be scored again is noted in the agenda, and how many sales are others than before beside the index of sales.
 *
 * Batches without twins can be merged by two sessions at once: no row of theirs is touched by another batch, and their duplicates
 * need not be grouped, which `planning` tells the triggers. It is also for what PostgreSQL plans inside the statement, such as
 * the checks of foreign keys, which the session's `force_custom_plan` would have it plan anew for every row (14 µs a row).
 */
export async function mergeBatch(
  sql: Sql,
  loadId: number,
  { after, upTo, hasTwins }: Batch,
  now: Date,
): Promise<MergedBatch> {
  const observedAt = now.toISOString()
  const [merged] = await sql<MergedBatch[]>`
    with planning as materialized (
      select
        set_config('plan_cache_mode', 'auto', true) as planned,
        set_config('surplus.merges', ${hasTwins ? 'lots with twins' : 'lots without twins'}, true) as merges
    ),
    batch as materialized (
      select
        staged.line, staged.reason, staged.raw, staged.slug, ${columnNames(sql, LOT_COLUMNS, 'staged')},
        staged.search, staged.id, staged.likeness, staged.vehicle,
        lots.id as lot_id,
        not lots.is_open or (${columnNames(sql, ESTIMATED_COLUMNS, 'staged')})
          is distinct from (${columnNames(sql, ESTIMATED_COLUMNS, 'lots')}) as is_other_thing,
        (staged.sold_at is not null or lots.sold_at is not null)
          and (${columnNames(sql, SALE_COLUMNS, 'staged')})
            is distinct from (${columnNames(sql, SALE_COLUMNS, 'lots')}) as is_other_sale,
        staged.reason is null and not staged.is_left_out as is_taken,
        staged.is_old_news
          or (${columnNames(sql, CHANGING_COLUMNS, 'staged')})
            is not distinct from (${columnNames(sql, CHANGING_COLUMNS, 'lots')}) as is_known
      from planning
      cross join staged
      left join lots on lots.id = staged.id and not staged.is_new
      where staged.ordinal > ${after}
      and staged.ordinal <= ${upTo}
      and staged.has_twins = ${hasTwins}
    ),
    new_lots as (
      insert into lots (id, slug, observed_at, ${columnNames(sql, LOT_COLUMNS)}, search, likeness, vehicle)
      select id, slug, ${observedAt}::timestamptz, ${columnNames(sql, LOT_COLUMNS)}, search, likeness, vehicle
      from batch
      where is_taken
      and lot_id is null
      returning id, is_open
    ),
    changed_lots as (
      update lots
      set (observed_at, ${columnNames(sql, CHANGING_COLUMNS)}, likeness, vehicle, search)
        = row(${observedAt}::timestamptz, ${columnNames(sql, CHANGING_COLUMNS, 'batch')}, batch.likeness, batch.vehicle,
          coalesce(batch.search, case when batch.is_open then lots.search end))
      from batch
      where lots.id = batch.lot_id
      and batch.lot_id is not null
      and is_taken
      and not is_known
      returning lots.id, lots.is_open, batch.is_other_thing
    ),
    noted as (
      insert into scoring_queue as agenda (lot_id, due_at, needs_estimate)
      select id, '-infinity'::timestamptz, true
      from new_lots
      where is_open
      union all
      select id, '-infinity'::timestamptz, is_other_thing
      from changed_lots
      where is_open
      on conflict (lot_id) do update set
        due_at = excluded.due_at,
        needs_estimate = agenda.needs_estimate or excluded.needs_estimate,
        changes = agenda.changes + 1
    ),
    other_sales as materialized (
      select count(*) as sales
      from batch
      where is_taken
      and not is_known
      and is_other_sale
    ),
    sales_noted as (
      update sales_indexes
      set sales_changed = sales_changed + other_sales.sales
      from other_sales
      where other_sales.sales > 0
    ),
    seen_lots as (
      update lots
      set observed_at = ${observedAt}::timestamptz
      from batch
      where lots.id = batch.lot_id
      and is_taken
      and is_known
      and lots.observed_at is distinct from ${observedAt}::timestamptz
    ),
    set_aside as (
      insert into set_aside_rows (load_id, line, reason, raw)
      select ${loadId}, line, reason, raw
      from batch
      where reason is not null
    ),
    ledger as (
      update loads
      set
        rows_read = rows_read + (select count(*) from batch),
        rows_taken = rows_taken + (select count(*) from batch where is_taken),
        rows_set_aside = rows_set_aside + (select count(*) from batch where reason is not null)
      where id = ${loadId}
    )
    select
      (select count(*) from new_lots) as lots_new,
      (select count(*) from changed_lots) as lots_changed`
  return merged!
}
