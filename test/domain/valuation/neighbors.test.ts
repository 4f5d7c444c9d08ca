import { describe, expect, it } from 'vitest'
import {
  type NeighborLot,
  neighborFactors,
  neighborsPercent,
  neighborsSentence,
  trustInNeighbors,
} from '../../../src/domain/appraisal/neighbors.ts'

const NOW = Date.parse('2026-06-01T12:00:00Z')
const HOUR_MS = 3_600_000

let lots = 0

/**
 * A lot of a title of its own and of a value of $1,000 that ends in two hours, with a bid at this
 * share of the value; null for none.
 */
function lot(zip: string, share: number | null, change: Partial<NeighborLot> = {}): NeighborLot {
  const current_bid_cents = share && share * 100_000
  const ends_at_ms = NOW + 2 * HOUR_MS
  const title = `Desk ${lots++}`
  return {
    zip,
    ends_at_ms,
    title,
    kind: 'desk',
    value_cents: 100_000,
    current_bid_cents,
    ...change,
  }
}

/** Bids at half of the value, each in a sale of its own, so that half is usual. */
const usual = Array.from({ length: 40 }, (_, n) => lot(`${n}`, 0.5))
const factorsOf = (lots: NeighborLot[], trust = 1) =>
  neighborFactors([...lots, ...usual], NOW, trust).slice(0, lots.length)

describe('the factor of a lot', () => {
  it('is 1 without neighbors that have a bid, however its own bid is', () => {
    expect(factorsOf([lot('a', 0.001), lot('b', null), lot('b', null)])).toEqual([1, 1, 1])
  })

  it('knows nothing from bids of nothing, which a source may publish', () => {
    const nothing = Array.from({ length: 50 }, () => lot('a', 0))
    expect(factorsOf([...nothing, lot('a', null)]).every(factor => factor === 1)).toBe(true)
  })

  it('is the mean deviation of its neighbors, shrunk by 3, and less with less trust', () => {
    const sale = [lot('a', null, { kind: 'chair' }), lot('a', 0.25), lot('a', 0.25), lot('a', 0.25)]
    expect(factorsOf(sale)[0]).toBeCloseTo(0.5 ** (3 / 6), 9)
    expect(factorsOf(sale, 0.5)[0]).toBeCloseTo(0.5 ** (3 / 12), 9)
  })

  it('goes further by lots of the same kind in the sale, shrunk by 1.5', () => {
    const sale = [
      lot('a', null),
      lot('a', 0.25),
      lot('a', 0.5, { kind: 'chair' }),
      lot('a', 0.5, { kind: 'safe' }),
    ]
    const mean = Math.log(0.5) / 6
    expect(Math.log(factorsOf(sale)[0]!)).toBeCloseTo(mean + (Math.log(0.5) - mean) / 2.5, 9)
  })

  it('is one for lots of one title in a sale, whatever the bids on them', () => {
    const same = [0.25, 0.4, null].map(share => lot('a', share, { title: 'Oak desk' }))
    const [first, second, third, other] = factorsOf([...same, lot('a', 0.4)])
    expect([second, third]).toEqual([first, first])
    expect(other).not.toBe(first)
  })

  it('knows no lot of another day or ZIP code, and compares bids at the same distance from the end only', () => {
    const ends_at_ms = NOW + 30 * HOUR_MS
    expect(factorsOf([lot('a', null), lot('b', 0.1), lot('a', 0.1, { ends_at_ms })])).toEqual([
      1, 1, 1,
    ])
    const early = Array.from({ length: 20 }, (_, n) => lot(`early ${n}`, 0.1, { ends_at_ms }))
    expect(
      factorsOf([lot('a', null, { ends_at_ms }), lot('a', 0.1, { ends_at_ms }), ...early])[0],
    ).toBeCloseTo(1, 9)
  })

  it('is moved little by one absurd bid', () => {
    expect(factorsOf([lot('a', null, { kind: 'chair' }), lot('a', 5_000)])[0]).toBeCloseTo(
      Math.exp(2 / 4),
      9,
    )
  })
})

it('bids on neighbors count half while values rest on fewer than 100 sales', () => {
  expect([0, 99, 100].map(trustInNeighbors)).toEqual([0.5, 0.5, 1])
})

it('the percentage is published in steps of 5, and not within 10% of the values', () => {
  expect([0.58, 1.32, 0.91, 1.09].map(neighborsPercent)).toEqual([60, 130, null, null])
  expect(neighborsSentence(60)).toBe('Lots of this sale go for about 60% of their values today.')
})
