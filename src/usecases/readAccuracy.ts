import type { Caller } from '../domain/caller.ts'
import { type ModelAccuracy, readAccuracy } from '../infra/valuation/models.ts'
import type { Deps } from './deps.ts'

/** Estimates of fewer sales say nothing about the others. */
const LEAST_SALES = 50

/**
 * How well the estimates of the loaded sales held in cross-validation, and the moment of these sales (RFC 3339); null while there
 * are fewer than 50.
 */
export async function accuracyOfEstimates({ reads }: Deps, caller: Caller): Promise<ModelAccuracy | null> {
  const read = await reads.read(caller, ({ sql }) => readAccuracy(sql))
  return read && read.accuracy.sales >= LEAST_SALES ? read : null
}
