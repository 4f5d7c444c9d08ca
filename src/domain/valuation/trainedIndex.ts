import { fitBaseline } from './baseline/fit.ts'
import { type BaselineFit, baselineTerms } from './baseline/predict.ts'
import { tabulateExperience } from './calibration.ts'
import { type Sale, salesInWindow, type UnsoldLot } from './comparables/corpus.ts'
import { CorpusBuilder } from './comparables/corpusBuilder.ts'
import { TRIED, tryOut } from './crossValidation.ts'
import { indexCorpus, type SalesIndex, type UnsoldCounts } from './salesIndex.ts'

/** What past prices have taught, as plain numbers: the effects, and what estimates of a size let expect of their miss. */
export interface Lessons extends BaselineFit {
  experience: Float64Array
}

/** Past sales, and what they have taught: all that estimates rest on. */
export interface AppraisalIndex extends SalesIndex {
  lessons: Lessons
}

/** What closed without a sale in the time of the sales: how many lots of each category, and those of them without a bid. */
export interface Unsold {
  counts: UnsoldCounts
  lots: readonly UnsoldLot[]
}

/** Takes the sales of a window one after the other, newest first, those of one moment by id, and learns from them once. */
export class AppraisalIndexBuilder {
  readonly #corpus: CorpusBuilder
  readonly #newest: Sale[] = []

  constructor(asOfMs: number) {
    this.#corpus = new CorpusBuilder(asOfMs)
  }

  /** @throws RangeError when the sales do not come in their order. */
  add(sale: Sale): void {
    this.#corpus.add(sale)
    if (this.#newest.length < TRIED) this.#newest.push(sale)
  }

  /** Some seconds of work, at any number of sales beyond 50,000. */
  finish(unsold: Unsold): AppraisalIndex {
    const index = indexCorpus(this.#corpus.finish(), unsold.counts)
    const fit = fitBaseline(index.corpus, unsold.lots, baselineTerms(index.corpus))
    const experience = tabulateExperience(tryOut(this.#newest, unsold.lots))
    return { ...index, lessons: { ...fit, experience } }
  }
}

/** Builds the index over the sales of the 365 days before `asOfMs`. The same sales give the same answers, in whatever order they come. */
export function buildAppraisalIndex(
  sales: readonly Sale[],
  asOfMs: number,
  unsold: Unsold = { counts: {}, lots: [] },
): AppraisalIndex {
  const builder = new AppraisalIndexBuilder(asOfMs)
  for (const sale of salesInWindow(sales, asOfMs)) builder.add(sale)
  return builder.finish(unsold)
}
