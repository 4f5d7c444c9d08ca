import { UnusableFile } from '../ingestion/feeds/unusableFile.ts'

/** A source that did not give what it should: the load is refused, changes nothing and says why. */
export class FetchFailure extends UnusableFile {
  /** How long the source asks to be left alone, in seconds, when it says so. */
  readonly retryAfterSeconds: number | null

  constructor(reason: string, retryAfterSeconds: number | null = null) {
    super(reason)
    this.name = 'FetchFailure'
    this.retryAfterSeconds = retryAfterSeconds
  }
}
