import { appraiser } from '../../domain/valuation/appraise.ts'
import type { AppraisalIndex } from '../../domain/valuation/trainedIndex.ts'
import type { OpenLot } from '../../infra/valuation/appraisals.ts'
import { appraisalRow, type ScoringMoment } from './appraisalRow.ts'

/** Some lots appraised and scored, ready to be stored. */
export interface AppraisedBatch {
  lots: number
  lots_valued: number
  lots_scored: number
  /** AppraisalRow[] as JSON: written where the lots were appraised, since that takes as long as the sending. */
  rows: string
}

/** Makes an appraiser of whole batches. The same lots give the same rows in every thread. */
export function batchAppraiser(
  index: AppraisalIndex,
  moment: ScoringMoment,
): (lots: readonly OpenLot[]) => AppraisedBatch {
  const appraise = appraiser(index)
  return lots => {
    const rows = lots.map(lot => appraisalRow(lot, appraise(lot), moment))
    return {
      lots: rows.length,
      lots_valued: rows.filter(row => row.estimated_value_cents !== null).length,
      lots_scored: rows.filter(row => row.flip_score !== null).length,
      rows: JSON.stringify(rows),
    }
  }
}
