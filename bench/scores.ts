// Measures the chance behind the score and the neighbors of a sale on later real sales: node
// --import tsx bench/scores.ts
import { textTable } from '../src/commands/terminal.ts'
import { neighborFactors } from '../src/domain/appraisal/neighbors.ts'
import { DAY_MS } from '../src/domain/durations.ts'
import {
  type ChanceCurve,
  chanceAt,
  type TwinOutcome,
  twinOutcomes,
  UNLEARNED,
} from '../src/domain/valuation/chance.ts'
import type { Sale } from '../src/domain/valuation/comparables/saleColumns.ts'
import { LIKE } from '../src/domain/valuation/grade.ts'
import { errorFactor, percent, rankCorrelation } from '../src/domain/valuation/measures.ts'
import type { Estimate } from '../src/domain/valuation/model.ts'
import { estimatesAfter, learnBefore, readRealSales, SETS } from './realSales.ts'

interface Judged {
  sale: Sale
  estimate: Estimate
}

for (const set of SETS) {
  const closed = await readRealSales(set)
  if (!closed) continue
  const end = Math.max(...closed.map(sale => sale.sold_at_ms))
  const from = end - set.late * DAY_MS
  const model = learnBefore(closed, from)
  const judged = estimatesAfter(model, closed, from, end).filter(
    (one): one is Judged => one.estimate !== null,
  )
  const scored = judged.filter(({ estimate }) =>
    estimate.comparables.some(({ similarity }) => similarity >= LIKE),
  )
  const outcomes = twinOutcomes(
    scored.map(({ sale, estimate }) => ({
      ...sale,
      ...estimate,
      bids_cents: [sale.final_bid_cents],
    })),
  )
  const { offset, slope } = model.fit.chance
  process.stdout.write(
    [
      `${set.name}, last ${set.late} days: ${outcomes.length} lots at their close, against lots with the same title sold elsewhere.`,
      textTable([
        ...fifths('as the bands have it', outcomes, UNLEARNED),
        ...fifths(`${offset} + ${slope} · step`, outcomes, model.fit.chance),
      ]),
      `Values of ${judged.length} lots by what their neighbors brought:`,
      textTable([
        neighbors('values alone', judged, 0, () => null),
        neighbors('closes of the others known', judged, 1, sale => sale.final_bid_cents),
        neighbors('bids at 0.4 of the close on half of them', judged, 1, halfOfThem),
        neighbors('the same, counted half', judged, 0.5, halfOfThem),
      ]),
      '',
    ].join('\n\n'),
  )
}

/** By fifth of the chance: its mean, and how often a twin brought more than the lot. */
function fifths(curve: string, outcomes: readonly TwinOutcome[], learned: ChanceCurve) {
  const chances = outcomes.map(outcome => ({
    ...outcome,
    chance: 100 * chanceAt(outcome.step, learned),
  }))
  return [0, 20, 40, 60, 80].map(least => {
    const own = chances.filter(
      ({ chance }) => chance >= least && (chance < least + 20 || least === 80),
    )
    const mean = (of: (one: (typeof own)[number]) => number) =>
      own.length === 0 ? null : Math.round(own.reduce((sum, one) => sum + of(one), 0) / own.length)
    return {
      curve,
      chance: `${least} to ${least + 20}`,
      lots: own.length,
      mean: mean(one => one.chance),
      'worth more': mean(one => 100 * one.above),
    }
  })
}

function halfOfThem({ final_bid_cents }: Sale, n: number): number | null {
  return n % 2 ? null : 0.4 * final_bid_cents
}

/** The lots as if all were live at once, with these bids. */
function neighbors(
  known: string,
  judged: readonly Judged[],
  trust: number,
  bidOf: (sale: Sale, n: number) => number | null,
) {
  const lots = judged.map(({ sale, estimate }, n) => ({
    zip: sale.zip ?? '',
    ends_at_ms: sale.sold_at_ms,
    title: sale.title,
    kind: sale.item ?? sale.title.toLowerCase(),
    value_cents: estimate.value_cents,
    current_bid_cents: bidOf(sale, n),
  }))
  const factors = neighborFactors(lots, 0, trust)
  const values = lots.map(({ value_cents }, n) => value_cents * factors[n]!)
  const prices = judged.map(({ sale }) => sale.final_bid_cents)
  return {
    known,
    'moved by 10% or more': `${percent(factors.filter(factor => Math.abs(factor - 1) >= 0.1).length, factors.length)}%`,
    error: errorFactor(values, prices)?.toFixed(2),
    rank: rankCorrelation(values, prices)?.toFixed(3),
  }
}
