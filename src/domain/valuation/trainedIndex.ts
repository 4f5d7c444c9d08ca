import { type Accuracy, accuracyOf, checkedTrials } from './accuracy.ts'
import { fitBaseline } from './baseline/fit.ts'
import type { BaselineFit } from './baseline/predict.ts'
import { buildCalibrationTable } from './calibration.ts'
import { CorpusBuilder, corpusOf, type Sale, salesInWindow, type UnsoldLot } from './comparables/corpus.ts'
import { buildDocuments } from './comparables/documents.ts'
import { CROSS_VALIDATED_SALES, crossValidate } from './crossValidation.ts'
import { indexOf, type SalesIndex, type UnsoldCounts } from './salesIndex.ts'

/** Past sales and the model trained on them: everything that estimates rest on. */
export interface AppraisalIndex extends SalesIndex {
  /** The effects of the baseline, the calibration table, and how well it held in cross-validation. */
  model: BaselineFit & { calibration: Float64Array; accuracy: Accuracy }
}

/** Lots that closed without a sale in the same 365 days: counts by category, and those without a bid. */
export interface Unsold {
  counts: UnsoldCounts
  lots: readonly UnsoldLot[]
}

/** Builds a trained index sale by sale: newest first, those of one moment by id. */
export class AppraisalIndexBuilder {
  readonly #corpus: CorpusBuilder
  readonly #newest: Sale[] = []

  constructor(asOfMs: number) {
    this.#corpus = new CorpusBuilder(asOfMs)
  }

  /** @throws RangeError when the sales come in another order. */
  add(sale: Sale): void {
    this.#corpus.add(sale)
    if (this.#newest.length < CROSS_VALIDATED_SALES) this.#newest.push(sale)
  }

  /** Trains the model: some seconds of work, at any number of sales above 50,000. */
  finish(unsold: Unsold): AppraisalIndex {
    const corpus = this.#corpus.finish()
    const index = indexOf(corpus, buildDocuments(corpus), unsold.counts)
    const fit = fitBaseline(corpus, unsold.lots)
    const trials = crossValidate(this.#newest, unsold.lots)
    const calibration = buildCalibrationTable(trials)
    return { ...index, model: { ...fit, calibration, accuracy: accuracyOf(checkedTrials(trials)) } }
  }
}

/** Builds the index over the sales of the 365 days before `asOfMs`. The order of the sales does not matter. */
export function buildAppraisalIndex(
  sales: readonly Sale[],
  asOfMs: number,
  unsold: Unsold = { counts: {}, lots: [] },
): AppraisalIndex {
  const builder = new AppraisalIndexBuilder(asOfMs)
  for (const sale of salesInWindow(sales, asOfMs)) builder.add(sale)
  return builder.finish(unsold)
}

/** An index as plain data, which can be stored. */
export function packIndex({ corpus, documents, unsoldCounts, model }: AppraisalIndex) {
  return { corpus: corpus.data, documents, unsoldCounts, model }
}

/** Restores a packed index. It gives the same estimates, to the last digit. */
export function unpackIndex({
  corpus,
  documents,
  unsoldCounts,
  model,
}: ReturnType<typeof packIndex>): AppraisalIndex {
  return { ...indexOf(corpusOf(corpus), documents, unsoldCounts), model }
}
