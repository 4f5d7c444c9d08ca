import { type BaselineFit, baselineOf, fitBaseline } from './baseline/baseline.ts'
import type { BidPoint } from './bidPaths.ts'
import { type CalibratedValue, calibratedValue } from './calibratedValue.ts'
import { buildCalibration, type Calibration } from './calibration.ts'
import { type ChanceCurve, chanceCurve } from './chance.ts'
import { buildDocuments } from './comparables/documents.ts'
import type { LotToValue } from './comparables/nearest.ts'
import {
  openSaleColumns,
  type Sale,
  SaleColumnsBuilder,
  salesToUse,
  type UnsoldLot,
} from './comparables/saleColumns.ts'
import { CROSS_VALIDATED_SALES, crossValidate } from './crossValidation.ts'
import { type LogEstimate, logEstimator } from './logEstimate.ts'
import { type PastSales, pastSales, type UnsoldCounts } from './pastSales.ts'

/** Past sales and what was learned from them: everything that estimates rest on. */
export interface Model extends PastSales {
  /** The effects of the baseline, the calibration table, and the curve of the chance. */
  fit: BaselineFit & { calibration: Calibration; chance: ChanceCurve }
}

/** Lots that closed without a sale in the same 365 days: counts by category, and those without a bid. */
export interface Unsold {
  counts: UnsoldCounts
  lots: readonly UnsoldLot[]
}

/** Builds a model sale by sale: newest first, those of one moment by id. */
export class ModelBuilder {
  readonly #columns: SaleColumnsBuilder
  readonly #newest: Sale[] = []

  constructor(asOfMs: number) {
    this.#columns = new SaleColumnsBuilder(asOfMs)
  }

  /** @throws RangeError when the sales come in another order. */
  add(sale: Sale) {
    this.#columns.add(sale)
    if (this.#newest.length < CROSS_VALIDATED_SALES) this.#newest.push(sale)
  }

  /**
   * Learns from the sales: some seconds of work, at any number of sales above 50,000.
   * @param bids seen before the close.
   */
  finish(unsold: Unsold, bids: readonly BidPoint[] = []): Model {
    const columns = this.#columns.finish()
    const past = pastSales(columns, buildDocuments(columns), unsold.counts)
    const fit = fitBaseline(columns, unsold.lots)
    const trials = crossValidate(this.#newest, unsold.lots)
    const calibration = buildCalibration(trials)
    return { ...past, fit: { ...fit, calibration, chance: chanceCurve(trials, calibration, bids) } }
  }
}

/** Builds the model of the sales before `asOfMs`. The order of the sales does not matter. */
export function buildModel(
  sales: readonly Sale[],
  asOfMs: number,
  unsold: Unsold = { counts: {}, lots: [] },
): Model {
  const builder = new ModelBuilder(asOfMs)
  for (const sale of salesToUse(sales, asOfMs)) builder.add(sale)
  return builder.finish(unsold)
}

/** A model as plain data, which can be stored. */
export function packModel({ columns, documents, unsoldCounts, fit }: Model) {
  return { columns: columns.data, documents, unsoldCounts, fit }
}

/** Restores a packed model. It gives the same estimates, to the last digit. */
export function unpackModel({ columns, documents, unsoldCounts, fit }: ReturnType<typeof packModel>): Model {
  return { ...pastSales(openSaleColumns(columns), documents, unsoldCounts), fit }
}

/** The estimated value of a lot, and the comparables it rests on with the percentiles of their prices. */
export type Estimate = CalibratedValue & Pick<LogEstimate, 'comparables' | 'percentiles'>

/** Returns an estimator of a model. It returns null for a lot of which nothing but its category is known. */
export function estimator(model: Model): (lot: LotToValue) => Estimate | null {
  const { columns, fit } = model
  const estimate = logEstimator(model, baselineOf(columns, fit))
  return lot => {
    const estimated = estimate(lot)
    if (!estimated) return null
    const { percentiles, comparables } = estimated
    return { ...calibratedValue(lot, estimated, fit.calibration), percentiles, comparables }
  }
}
