import { HOUR_MS } from '../durations.ts'

/** Estimates are never older than this. */
const LONGEST_HOURS = 24
/**
 * The share of the sales that may change before all lots are estimated again.
 */
const CHANGED_SHARE = 0.01

/** How old a model is, by the clock and by the sales. */
export interface ModelAge {
  /** When the sales were read. */
  as_of: Date
  score_version: string
  /** How many sales there were. */
  sales: number
  /** How many were added, removed or changed since. */
  sales_changed: number
}

/**
 * Why all lots must be estimated again, as a sentence, or null while the model
 * is recent enough.
 */
export function reasonForFullRun(
  model: ModelAge | null,
  scoreVersion: string,
  now: Date,
): string | null {
  if (model === null) return 'The sales had not been indexed completely.'
  const { as_of, score_version, sales, sales_changed } = model
  if (score_version !== scoreVersion)
    return `The scores were of version ${score_version}.`
  const hours = (now.getTime() - as_of.getTime()) / HOUR_MS
  if (hours >= LONGEST_HOURS)
    return `The estimates were ${Math.floor(hours)} hours old.`
  if (hours < 0)
    return 'The estimates were made later than now: a clock was set back.'
  if (sales_changed <= sales * CHANGED_SHARE) return null
  return `${sales_changed} sales had changed since ${sales} were indexed.`
}
