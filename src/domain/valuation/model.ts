import {
  type BaselineFit,
  baselineOf,
  fitBaseline,
} from './baseline/baseline.ts'
import type { BidPoint } from './bidPaths.ts'
import { type CalibratedValue, calibratedValue } from './calibratedValue.ts'
import { buildCalibration, type Calibration } from './calibration.ts'
import { type ChanceCurve, chanceCurve } from './chance.ts'
import type { Documents } from './comparables/documents.ts'
import {
  openSaleColumns,
  type Sale,
  type StoredColumns,
  saleColumnsBuilder,
  salesToUse,
  type UnsoldLot,
} from './comparables/saleColumns.ts'
import { CROSS_VALIDATED_SALES, crossValidate } from './crossValidation.ts'
import { type LogEstimate, logEstimator } from './logEstimate.ts'
import type { LotToValue } from './lotToValue.ts'
import { type PastSales, pastSales } from './pastSales.ts'

/**
 * Past sales and what was learned from them: everything that estimates rest on.
 */
export interface Model extends PastSales {
  /**
   * The effects of the baseline, the calibration table, and the curve of the
   * chance.
   */
  fit: BaselineFit & { calibration: Calibration; chance: ChanceCurve }
}

/** Learns a model from sales that are added one after the other. */
export interface ModelBuilder {
  /** @throws RangeError when the sales come in another order. */
  add(sale: Sale): void
  /**
   * Learns from the sales: some seconds of work, at any number of sales above
   * 50,000.
   * @param bids seen before the close.
   */
  finish(unsold: readonly UnsoldLot[], bids?: readonly BidPoint[]): Model
}

/** Builds a model sale by sale: newest first, those of one moment by id. */
export function modelBuilder(asOfMs: number): ModelBuilder {
  const builder = saleColumnsBuilder(asOfMs)
  const newest: Sale[] = []
  return {
    add(sale: Sale) {
      builder.add(sale)
      if (newest.length < CROSS_VALIDATED_SALES) newest.push(sale)
    },

    finish(
      unsold: readonly UnsoldLot[],
      bids: readonly BidPoint[] = [],
    ): Model {
      const past = pastSales(builder.finish())
      const trials = crossValidate(newest, unsold)
      const calibration = buildCalibration(trials)
      const chance = chanceCurve(trials, calibration, bids)
      return {
        ...past,
        fit: { ...fitBaseline(past.columns, unsold), calibration, chance },
      }
    },
  }
}

/**
 * Builds the model of the sales before `asOfMs`. The order of the sales does
 * not matter.
 */
export function buildModel(
  sales: readonly Sale[],
  asOfMs: number,
  unsold: readonly UnsoldLot[] = [],
): Model {
  const builder = modelBuilder(asOfMs)
  for (const sale of salesToUse(sales, asOfMs)) builder.add(sale)
  return builder.finish(unsold)
}

/** A model as it is stored. */
export interface PackedModel {
  columns: StoredColumns
  documents: Documents
  fit: BaselineFit & { calibration: Calibration; chance: ChanceCurve }
}

/** A model as plain data, which can be stored. */
export function packModel({ columns, documents, fit }: Model): PackedModel {
  return { columns: columns.data, documents, fit }
}

/** Restores a packed model. It gives the same estimates, to the last digit. */
export function unpackModel({
  columns,
  documents,
  fit,
}: ReturnType<typeof packModel>): Model {
  return { ...pastSales(openSaleColumns(columns), documents), fit }
}

/**
 * The estimated value of a lot, and the comparables it rests on with the
 * percentiles of their prices.
 */
export type Estimate = CalibratedValue &
  Pick<LogEstimate, 'comparables' | 'percentiles' | 'seenFactor'> & {
    /** Of the baseline. */
    no_bid_chance: number | null
  }

/**
 * Returns an estimator of a model. It returns null for a lot of which nothing
 * but its category is known.
 */
export function estimator(model: Model): (lot: LotToValue) => Estimate | null {
  const { columns, fit } = model
  const baseline = baselineOf(columns, fit)
  const estimate = logEstimator(model, baseline)
  return lot => {
    const estimated = estimate(lot)
    if (!estimated) return null
    const { percentiles, comparables, seenFactor } = estimated
    const value = calibratedValue(lot, estimated, fit.calibration)
    return {
      ...value,
      percentiles,
      comparables,
      seenFactor,
      no_bid_chance: baseline.noBidChance(lot),
    }
  }
}
