import {
  LOT_COLUMNS,
  PRICE_BASES,
  READING_VERSION,
  type StagedLot,
} from '../../domain/feeds/lotRow.ts'
import { count, formatNumber, workLeft } from '../../domain/format.ts'
import type { Report } from '../log.ts'
import { onlyRow, type Sql } from '../postgres/sql.ts'
import { datesChanges } from './changes.ts'
import { columnNames, differIn } from './stage.ts'

type Merged = Record<'lots_new' | 'lots_changed', number>

const BATCH_ROWS = 5000
const PROGRESS_ROWS = 20_000
/** The estimate of an open lot depends on these. */
const ESTIMATED_COLUMNS = [
  ...['title', 'category', 'item', 'zip'],
  ...['condition_grade', 'odometer_miles', 'runs', 'road_title'],
] as const satisfies (keyof StagedLot)[]
/** Estimates of other lots read these from a sale. */
const SALE_COLUMNS = [
  ...ESTIMATED_COLUMNS,
  'final_bid_cents',
  'sold_at',
  'seen_by',
] as const
/** Without the slug, which never changes. */
const COLUMNS = LOT_COLUMNS.filter(column => column !== 'slug')
const CHANGING_COLUMNS = COLUMNS.filter(
  column => column !== 'source' && column !== 'source_id',
)

/**
 * Marks rows that know less than what is stored: a row that describes a lot
 * before its end although its outcome is stored, or one with a price of a worse
 * basis for the same end. A sale without a known end keeps the moment at which
 * it was first seen.
 */
export async function keepWhatIsBetter(sql: Sql): Promise<void> {
  await sql`
    update staged
    set
      is_old_news = staged.ends_at <= lots.ends_at and (
        (staged.outcome is null and not staged.is_open and coalesce(lots.outcome in ('sold', 'unsold'), false))
        or coalesce(
          array_position(${PRICE_BASES}::text[], staged.price_basis)
            > array_position(${PRICE_BASES}::text[], lots.price_basis),
          false
        )
      ),
      sold_at = case
        when staged.outcome = 'sold' and lots.outcome = 'sold' and staged.ends_at = lots.ends_at then lots.sold_at
        else staged.sold_at
      end
    from lots
    where lots.source = staged.source
    and lots.source_id = staged.source_id
    and staged.reason is null
    and not staged.is_left_out
    and (lots.outcome in ('sold', 'unsold') or lots.sold_at is not null)`
}

/**
 * A row with bids and no starting bid keeps the one that its lot had: many
 * files give it only as the price before the first bid.
 */
export async function keepStartingBids(sql: Sql): Promise<void> {
  await sql`
    update staged
    set starting_bid_cents = lots.starting_bid_cents
    from lots
    where lots.source = staged.source
    and lots.source_id = staged.source_id
    and lots.is_open
    and lots.bids_known
    and lots.starting_bid_cents is not null
    and staged.reason is null
    and staged.starting_bid_cents is null
    and staged.num_bids > 0`
}

/** Merges the whole stage into the lots, in batches. */
export async function mergeStage(
  sql: Sql,
  id: number,
  now: Date,
  onProgress: Report,
): Promise<Merged> {
  const [{ rows }] = await sql<
    [{ rows: number }]
  >`select count(*) as rows from staged`
  const merged: Merged = { lots_new: 0, lots_changed: 0 }
  const began = performance.now()
  for (let after = 0; after < rows; after += BATCH_ROWS) {
    const upTo = Math.min(rows, after + BATCH_ROWS)
    const { lots_new, lots_changed } = await mergeBatch(
      sql,
      id,
      after,
      upTo,
      now,
    )
    merged.lots_new += lots_new
    merged.lots_changed += lots_changed
    if (upTo % PROGRESS_ROWS > 0) continue
    const left = workLeft(upTo, rows, performance.now() - began)
    onProgress(`Stored ${formatNumber(upTo)} of ${count(rows, 'row')}${left}.`)
  }
  return merged
}

/**
 * Merges a batch, the rows `after < ordinal <= upTo`, into the lots, with their
 * set-aside rows and the progress of the load in one statement, so that a crash
 * leaves all of it or nothing. Must run under the load lock.
 *
 * The id and the slug of a lot never change; a new lot whose slug is taken gets
 * a slug with the start of its id. A row that says nothing new only updates
 * `observed_at`. Lots to score again are put into the scoring queue, and the
 * number of changed sales beside the index of sales. Triggers group the
 * duplicates, and log changes, but not what another `READING_VERSION` reads
 * differently.
 *
 * `planning` turns off the session's `force_custom_plan` inside the statement,
 * where PostgreSQL would plan the check of the foreign key again for every row
 * (14 µs a row).
 */
async function mergeBatch(
  sql: Sql,
  loadId: number,
  after: number,
  upTo: number,
  now: Date,
) {
  const observedAt = now.toISOString()
  return onlyRow(sql<Merged[]>`
    with planning as materialized (
      select set_config('plan_cache_mode', 'auto', true), ${datesChanges(now)}
    ),
    batch as materialized (
      select
        staged.ordinal, staged.line, staged.reason, staged.raw, ${columnNames(LOT_COLUMNS, 'staged')},
        lots.id as lot_id,
        not lots.is_open or ${differIn(ESTIMATED_COLUMNS, 'staged', 'lots')} as is_other_thing,
        coalesce(staged.sold_at, lots.sold_at) is not null and ${differIn(SALE_COLUMNS, 'staged', 'lots')} as is_other_sale,
        case
          when staged.reason is not null then 'set aside'
          when staged.is_left_out then 'left out'
          when lots.id is null then 'new'
          when ${differIn(CHANGING_COLUMNS, 'staged', 'lots')} and not staged.is_old_news then 'changed'
          else 'known'
        end as fate
      from planning
      cross join staged
      left join lots on lots.source = staged.source and lots.source_id = staged.source_id
      where staged.ordinal > ${after} and staged.ordinal <= ${upTo}
    ),
    new_lots as (
      insert into lots (slug, observed_at, reading, ${columnNames(COLUMNS)})
      select
        case
          when row_number() over (partition by slug order by ordinal) > 1
            or exists (select from lots as other where other.slug = batch.slug)
          then slug_apart(slug, source, source_id)
          else slug
        end,
        ${observedAt}::timestamptz,
        ${READING_VERSION},
        ${columnNames(COLUMNS)}
      from batch
      where fate = 'new'
      returning id, is_open, true as needs_estimate
    ),
    changed_lots as (
      update lots
      set
        (observed_at, ${columnNames(CHANGING_COLUMNS)})
          = row(${observedAt}::timestamptz, ${columnNames(CHANGING_COLUMNS, 'batch')}),
        reading = ${READING_VERSION},
        score_version = case when lots.reading = ${READING_VERSION} then lots.score_version end
      from batch
      where lots.id = batch.lot_id and fate = 'changed'
      returning lots.id, lots.is_open, batch.is_other_thing as needs_estimate
    ),
    queued as (
      insert into scoring_queue as queue (lot_id, due_at, needs_estimate)
      select id, '-infinity'::timestamptz, needs_estimate
      from (table new_lots union all table changed_lots) as written
      where is_open
      on conflict (lot_id) do update set
        due_at = excluded.due_at, needs_estimate = queue.needs_estimate or excluded.needs_estimate,
        changes = queue.changes + 1
    ),
    sales_counted as (
      update sales_indexes
      set sales_changed = sales_changed + other.sales
      from (select count(*) as sales from batch where fate in ('new', 'changed') and is_other_sale) as other
      where other.sales > 0
    ),
    seen_lots as (
      update lots
      set observed_at = ${observedAt}::timestamptz, reading = ${READING_VERSION}
      from batch
      where lots.id = batch.lot_id
      and fate = 'known'
      and lots.observed_at is distinct from ${observedAt}::timestamptz
    ),
    set_aside as (
      insert into set_aside_rows (load_id, line, reason, raw)
      select ${loadId}, line, reason, raw
      from batch
      where fate = 'set aside'
    ),
    ledger as (
      update loads
      set
        rows_read = rows_read + (select count(*) from batch),
        rows_taken = rows_taken + (select count(*) from batch where fate in ('new', 'known', 'changed')),
        rows_set_aside = rows_set_aside + (select count(reason) from batch)
      where id = ${loadId}
    )
    select
      (select count(*) from new_lots) as lots_new,
      (select count(*) from changed_lots) as lots_changed`)
}
