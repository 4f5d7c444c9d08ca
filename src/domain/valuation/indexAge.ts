/** How far the sales have moved on since all lots were estimated. */
export interface IndexAge {
  /** When the sales were read. */
  as_of: Date
  score_version: string
  /** How many sales there were. */
  sales: number
  /** How many came, went or changed since. */
  sales_changed: number
}

const HOUR_MS = 3_600_000
/** Estimates are never older than this. */
const LONGEST_HOURS = 24
/** So many changed sales may wait, as a share of all. */
const CHANGED_SHARE = 0.01
/** With no more sales than this, estimating everything takes a few seconds, so that no changed sale has to wait. */
const FEW_SALES = 20_000

/** Why all lots must be estimated anew, in a sentence, or null when the index still speaks for the sales. */
export function whyAnew(index: IndexAge | null, scoreVersion: string, now: Date): string | null {
  if (index === null) return 'The sales had not been indexed, or not to the end.'
  const { as_of, score_version, sales, sales_changed } = index
  if (score_version !== scoreVersion) return `The scores were of version ${score_version}.`
  const hours = (now.getTime() - as_of.getTime()) / HOUR_MS
  if (hours >= LONGEST_HOURS) return `The estimates were ${Math.floor(hours)} hours old.`
  if (hours < 0) return 'The estimates were made later than now: a clock was set.'
  const mayWait = sales <= FEW_SALES ? 0 : sales * CHANGED_SHARE
  return sales_changed > mayWait ? `${sales_changed} sales had changed since ${sales} were indexed.` : null
}
