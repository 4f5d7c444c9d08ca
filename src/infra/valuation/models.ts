import { deserialize, serialize } from 'node:v8'
import type { Accuracy } from '../../domain/appraisal/accuracy.ts'
import type { ScoreBasis } from '../../domain/appraisal/appraisalRow.ts'
import {
  type Model,
  packModel,
  unpackModel,
} from '../../domain/valuation/model.ts'
import type { ModelAge } from '../../domain/valuation/reasonForFullRun.ts'
import { firstRow, firstValue, fragment, type Sql } from '../postgres/sql.ts'

/** The model that all estimates rest on, without its data. */
export interface ModelState extends ModelAge, ScoreBasis {
  id: number
}

/**
 * Change it whenever the shape of `packModel` changes: a model of another
 * layout is not read.
 */
const LAYOUT = 7
/**
 * Larger pieces save little, and each is in the memory of both sides twice
 * while it is sent.
 */
const PIECE_BYTES = 2_097_152

/**
 * The model that all open lots were estimated from, or null when there is none
 * or the last full run did not finish.
 */
export async function readModelState(sql: Sql): Promise<ModelState | null> {
  return firstRow(sql<ModelState[]>`
    select id, as_of, score_version, sales, sell_through, bid_paths, chance, sales_changed
    from sales_indexes
    where finished_at is not null and id = (select max(id) from sales_indexes)`)
}

/** How well estimates held. */
export interface ModelAccuracy {
  /** The moment of the sales that were judged, RFC 3339. */
  as_of: string
  accuracy: Accuracy
}

/**
 * How well estimates held; null before they were judged, and where a version
 * judged that measured otherwise.
 */
export async function readAccuracy(sql: Sql): Promise<ModelAccuracy | null> {
  const read = await firstRow(sql<ModelAccuracy[]>`
    select ${judgedAt} as as_of, accuracy - 'as_of' as accuracy
    from sales_indexes
    where finished_at is not null
    order by id desc
    limit 1`)
  return read && 'dots' in read.accuracy ? read : null
}

/**
 * Stores how well estimates held, with the current model and with one that is
 * being stored.
 */
export async function storeAccuracy(
  sql: Sql,
  accuracy: Accuracy,
  now: Date,
): Promise<ModelAccuracy> {
  const as_of = await firstValue<string>(
    sql`select rfc3339(${now.toISOString()})`,
  )
  await sql`update sales_indexes set accuracy = ${sql.json({ as_of, ...accuracy })}`
  return { as_of: as_of!, accuracy }
}

/** 1.0.0 judged with each model. */
const judgedAt = fragment`coalesce(accuracy ->> 'as_of', rfc3339(as_of))`

/**
 * Records that all open lots are estimated from this model, and deletes the
 * earlier ones.
 */
export async function finishModel(
  sql: Sql,
  id: number,
  now: Date,
): Promise<void> {
  await sql`
    with others as (
      delete from sales_indexes
      where id <> ${id}
    )
    update sales_indexes
    set finished_at = ${now.toISOString()}
    where id = ${id}`
}

/**
 * Records the start of a full run, and stores the data of its model, about 170
 * bytes a sale, in place of every other. Until the run finishes, no earlier
 * model is valid. How well estimates held is taken over from the one before.
 * @returns the id of the model.
 */
export async function storeModel(
  sql: Sql,
  state: Omit<ModelState, 'id' | 'sales_changed'>,
  model: Model,
): Promise<number> {
  const { as_of, score_version, sales, sell_through, bid_paths, chance } = state
  const id = await firstValue<number>(sql`
    insert into sales_indexes (as_of, score_version, sales, sell_through, accuracy, bid_paths, chance)
    values (
      ${as_of.toISOString()}, ${score_version}, ${sales}, ${sql.json(sell_through)},
      coalesce(
        (
          select accuracy || jsonb_build_object('as_of', ${judgedAt})
          from sales_indexes
          where finished_at is not null
          order by id desc
          limit 1
        ),
        '{}'
      ),
      ${bid_paths && sql.json(bid_paths)}, ${sql.json(chance)}
    )
    returning id`)
  await sql`truncate sales_index_pieces`
  const bytes = serialize({ layout: LAYOUT, ...packModel(model) })
  for (let at = 0, piece = 0; at < bytes.length; at += PIECE_BYTES, piece++) {
    await sql`
      insert into sales_index_pieces (index_id, piece, bytes)
      values (${id}, ${piece}, ${bytes.subarray(at, at + PIECE_BYTES)})`
  }
  return id!
}

/**
 * Reads a model; null when its data is missing, has another layout, or was
 * written by a newer Node, whose format this one cannot read.
 */
export async function readModel(sql: Sql, id: number): Promise<Model | null> {
  const pieces = []
  const rows = sql<{ bytes: Buffer }[]>`
    select bytes
    from sales_index_pieces
    where index_id = ${id}
    order by piece`.cursor(4)
  for await (const some of rows)
    for (const { bytes } of some) pieces.push(bytes)
  if (pieces.length === 0) return null
  let stored: ReturnType<typeof packModel> & { layout: number }
  try {
    stored = deserialize(Buffer.concat(pieces))
  } catch {
    return null
  }
  return stored.layout === LAYOUT ? unpackModel(stored) : null
}
