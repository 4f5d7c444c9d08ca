import type { LotToDescribe } from './comparables/saleColumns.ts'

/** A lot to estimate. */
export interface LotToValue extends LotToDescribe {
  id: string
  /**
   * The same lot on another source, if that one counts: its sale is not a
   * comparable.
   */
  duplicate_of?: string | null
}
