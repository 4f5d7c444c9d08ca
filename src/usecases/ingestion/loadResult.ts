import type { LedgerEntry } from '../../infra/ingestion/loads.ts'
import type { Rescored } from '../valuation/appraiseLots.ts'

/** How a load is done, whatever its rows come from. */
export interface LoadSettings {
  /** The time of loading. */
  now: Date
  /** The rows are an addition to what is stored, not the whole live offer: no size check, and nothing is withdrawn. */
  partial?: boolean
  /** A source with under half of its usual live rows has really shrunk: its rows are taken as the whole offer. */
  acceptShrinkage?: boolean
  /** Leave the scores to a later step: what must be scored is queued together with the rows, so nothing is lost in between. */
  scoreLater?: boolean
  /** Receives the progress of the load, as a sentence. */
  onProgress?: (message: string) => void
}

/** What a load changed. */
export interface LoadChanges {
  lots_new: number
  lots_changed: number
  lots_withdrawn: number
  /** Lots whose end had passed. */
  lots_settled: number
  /** Lots of the loaded sources that another source lists too: each such group counts once in statistics. */
  lots_duplicate: number
  /** Keys that were not tracked before. */
  new_sources: string[]
}

/**
 * What a load did. `rows_read` is the sum of the rows taken, those set aside, further rows of a lot that the file names
 * more than once, and the rows of refused sources.
 */
export interface LoadResult extends LoadChanges, LedgerEntry {
  load_id: number
  feed: string
  /** Null when the rows came from no file. */
  file: string | null
  /** `refused` when nothing was changed. A load that refused only some of its sources is `done`, with a reason. */
  state: 'done' | 'refused'
  reason: string | null
  sources: {
    source: string
    live_rows: number
    closed_rows: number
    state: 'done' | 'refused'
    reason: string | null
  }[]
  /** Null when nothing was changed, or the scores were left for later. */
  rescored: Rescored | null
  /** From the start until the rows could be searched: without the scores and the tidying of the table. */
  seconds_until_stored: number
  seconds: number
}
