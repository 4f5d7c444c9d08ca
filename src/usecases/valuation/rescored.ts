/** What became of the scores of the open lots. */
export interface Rescored {
  /** `full`: all lots were estimated anew; `partial`: only what had changed was. */
  mode: 'full' | 'partial'
  /** Why all were, in a sentence; null when they were not. */
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
  /** Lots that were compared with the sales now. */
  lots_estimated: number
  /** Lots whose score alone was made anew, from the estimate they had. */
  lots_rescored: number
  /** Open lots that nothing had to be done about. */
  lots_untouched: number
  /** Lots whose appraisal or score is another than before. */
  lots_changed: number
  seconds: number
  /** Of these: reading the sales and making them searchable. */
  seconds_indexing: number
}

export interface ScoringSettings {
  now: Date
  /** Is told how far the work is, in a sentence. */
  onProgress?: (message: string) => void
  /** For tests; by default the second thread is started where it pays. */
  inTwoThreads?: boolean
}

export function secondsSince(started: number): number {
  return Math.round(performance.now() - started) / 1000
}
