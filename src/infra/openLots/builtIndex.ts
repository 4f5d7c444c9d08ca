import type { LotIndex } from '../../domain/search/lotIndex.ts'

/** An index, and what it was built from; see migration 0013. */
export interface BuiltIndex {
  index: LotIndex
  offers: number
  scores: number
  tookMs: number
}
