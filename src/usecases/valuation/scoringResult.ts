/** The result of scoring the open lots. */
export interface Rescored {
  /** `full`: all open lots were estimated; `partial`: only what had changed was estimated or scored. */
  mode: 'full' | 'partial'
  /** Why the run was full, as a sentence; null for a partial run. */
  reason: string | null
  /** Sales of the trailing 365 days that the estimates rest on. */
  sales: number
  /** The moment of these sales. */
  estimated_at: string
  lots_open: number
  /** Open lots with an estimated value. */
  lots_valued: number
  /** Open lots with an estimated value and a price, hence with a score. */
  lots_scored: number
  /** Lots estimated in this run. */
  lots_estimated: number
  /** Lots whose score was recomputed from the estimate they had. */
  lots_rescored: number
  /** Open lots that needed neither. */
  lots_untouched: number
  /** Lots whose appraisal or score changed. */
  lots_changed: number
  seconds: number
  /** Part of `seconds`: building or reading the index of sales. */
  seconds_indexing: number
}

export interface ScoringSettings {
  now: Date
  /** Receives progress as sentences. */
  onProgress?: (message: string) => void
}

export function secondsSince(started: number): number {
  return Math.round(performance.now() - started) / 1000
}
