// The process that appraises titles; `titleEstimator` starts it. It ends when
// the channel to the process that serves closes.
import { classifyCategory } from '../../domain/titles/categories.ts'
import { trackedItemOf } from '../../domain/titles/items.ts'
import type { LotToValue } from '../../domain/valuation/lotToValue.ts'
import { type Estimate, estimator } from '../../domain/valuation/model.ts'
import { openAdminConnection, type Sql } from '../postgres/database.ts'
import { readModel } from './models.ts'
import type { TitleAnswer, TitleQuestion } from './titleEstimator.ts'

interface Held {
  id: number
  asOf: string
  appraise(lot: LotToValue): Estimate | null
}

let held: Held | null = null

process.on('message', async (question: TitleQuestion) => {
  const failed = ({ message }: Error): TitleAnswer => ({
    kind: 'failed',
    reason: message,
  })
  process.send!(await answer(question).catch(failed))
})

/**
 * While a model is being stored, its data is not complete; then a model that is
 * held already answers.
 */
async function answer({ title, modelId }: TitleQuestion): Promise<TitleAnswer> {
  if (held?.id !== modelId) held = (await readHeld(modelId)) ?? held
  if (held === null) return { kind: 'no model' }
  const category = classifyCategory(title)
  const found = held.appraise({
    id: '',
    title,
    category,
    item: trackedItemOf(title, category),
  })
  const comparables =
    found?.comparables.map(({ id, similarity }) => ({ id, similarity })) ?? []
  return {
    kind: 'estimated',
    category,
    asOf: held.asOf,
    appraisal: found && { ...found, comparables },
  }
}

/**
 * The connection is closed after each model: there is a new one a few times a
 * day.
 */
async function readHeld(id: number): Promise<Held | null> {
  const sql = openAdminConnection(process.env.DATABASE_URL!)
  try {
    // In a transaction, so that a pooler leaves the cursor on one connection.
    const model = await sql.begin('read only', async transaction => {
      const one = transaction as unknown as Sql
      await one`set local statement_timeout = 0`
      return readModel(one, id)
    })
    return (
      model && {
        id,
        asOf: new Date(model.columns.asOfMs).toISOString(),
        appraise: estimator(model),
      }
    )
  } finally {
    await sql.end({ timeout: 1 })
  }
}
