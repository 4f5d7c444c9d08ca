import { describe, expect, it } from 'vitest'
import {
  type BidPoint,
  learnBidPaths,
  MOMENT_HOURS,
} from '../../../src/domain/valuation/bidPaths.ts'
import { percentileCont } from '../../../src/domain/valuation/percentiles.ts'
import { projectedClose, roomAbove } from '../../../src/domain/valuation/projection.ts'
import { bandOf } from './bandOf.ts'
import { seeded } from './seeded.ts'

const VALUE = 500_000
const BAND = bandOf(180_000, 300_000, 800_000, 1_400_000)
const estimated = { value_cents: VALUE, band: BAND }

function bell(random: () => number): number {
  return Math.sqrt(-2 * Math.log(random())) * Math.cos(2 * Math.PI * random())
}

/** How far below the close a bid stands, in ln, so many hours before the end that is known. */
type Law = (hours: number, path: { noise: number; closing: number }) => number

const NOISE = 0.3
const LAWS: Record<string, Law> = {
  'a log-linear rise': (hours, { noise }) =>
    Math.max(0, 0.012 * hours + 0.2 * noise * Math.min(1, hours)),
  'a rise by powers of time': (hours, { noise }) =>
    Math.max(0, 0.25 * Math.log1p(hours) + NOISE * noise * Math.min(1, hours)),
  'a soft close, whose last bids come after the end that was known': (hours, { noise }) =>
    Math.max(0, 0.15 + 0.1 * Math.log1p(hours) + 0.05 * noise),
  'bids that say nothing until the last minute': (hours, { noise, closing }) =>
    hours < 0.05 ? 0 : Math.max(0, closing - Math.log(VALUE / 20) + NOISE * noise),
}

/**
 * Lots worth about the same, whose bids follow a law; closes spread around the value as its bands
 * say.
 */
function lotsOf(law: Law, count: number, seed: number, moments = MOMENT_HOURS): BidPoint[] {
  const random = seeded(seed)
  return Array.from({ length: count }, (_, n) => {
    const closing = Math.log(VALUE) + 0.7 * bell(random)
    return moments.map(hours => {
      const below = law(hours, { noise: bell(random), closing })
      const bid_cents = Math.max(1, Math.round(Math.exp(closing - below)))
      return {
        lot_id: `lot ${seed} ${n}`,
        hours,
        bid_cents,
        final_bid_cents: Math.max(bid_cents, Math.round(Math.exp(closing))),
        room: roomAbove(VALUE, BAND, bid_cents),
      }
    })
  }).flat()
}

describe.each(Object.entries(LAWS))('learned from lots with %s', (_, law) => {
  const learned = learnBidPaths(lotsOf(law, 2_000, 1))!

  it.each([0.25, 1, 6, 24, 36, 72])(
    'projects other lots without a bias %d hours before the end',
    hours => {
      const misses = lotsOf(law, 4_000, 2, [hours]).map(({ bid_cents, final_bid_cents }) =>
        Math.log(
          projectedClose({ ...estimated, bid_cents, hours_left: hours }, learned.moments).cents /
            final_bid_cents,
        ),
      )
      // Between the moments the rise is linear in time, which no law of these is: 36 hours misses
      // by up to 0.03.
      expect(Math.abs(percentileCont(Float64Array.from(misses).sort(), 0.5))).toBeLessThan(0.05)
    },
  )

  it.each([1, 6, 24])(
    'keeps about half of the closes of other lots in the band %d hours before the end',
    hours => {
      const others = lotsOf(law, 4_000, 2, [hours])
      const held = others.filter(({ bid_cents, final_bid_cents: price }) => {
        const close = projectedClose(
          { ...estimated, bid_cents, hours_left: hours },
          learned.moments,
        )
        return price >= close.likely_low_cents && price <= close.likely_high_cents
      })
      // More where many lots close at the bid, which every band holds.
      expect(held.length / others.length).toBeGreaterThan(0.45)
      expect(held.length / others.length).toBeLessThan(0.66)
    },
  )
})

describe('learned from few lots', () => {
  const law = LAWS['a log-linear rise']!

  it('is the formula at moments that fewer than 50 lots were seen at', () => {
    const late = lotsOf(law, 300, 4, [0.25, 1])
    const early = lotsOf(law, 49, 4, [168]).map(point => ({ ...point, lot_id: 'early' }))
    const { moments } = learnBidPaths([...early, ...late])!
    const lot = { ...estimated, bid_cents: 100_000, hours_left: 168 }
    expect(projectedClose(lot, moments).cents).toBe(projectedClose(lot, null).cents)
  })

  it('holds for lots without a known value, too', () => {
    const points = lotsOf(law, 300, 5).map(point => ({ ...point, room: null }))
    const { moments } = learnBidPaths(points)!
    const close = projectedClose(
      { ...estimated, bid_cents: 100_000, hours_left: 24 },
      moments,
    ).cents
    expect(Math.abs(Math.log(close / 100_000) - 0.012 * 24)).toBeLessThan(0.05)
  })
})
