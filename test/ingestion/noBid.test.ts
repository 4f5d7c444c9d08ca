import { beforeAll, describe, expect, it } from 'vitest'
import { rescore } from '../../src/usecases/valuation/rescore.ts'
import {
  type FeedCells,
  hoursFromNow,
  ingestionFor,
  liveRow,
} from '../support/ingestion/ingestion.ts'
import { NOW } from '../support/ingestion/ingestionClock.ts'

const BINDER = { title: 'Electric lever arch binder', category: 'electronics' }
const STAPLER = { title: 'Electric stapler machine', category: 'electronics' }
const UNBID = { current_bid_cents: null, num_bids: 0, starting_bid_cents: 500 }

/** Closed lots of one title on forty days. */
function closed(count: number, what: FeedCells, outcome: FeedCells): FeedCells[] {
  return Array.from({ length: count }, (_, n) =>
    liveRow(`${what.title}-${outcome.outcome}-${n}`, {
      ...what,
      ...outcome,
      end_date: hoursFromNow(-24 * (1 + (n % 40))),
    }),
  )
}

const sold = (count: number, what: FeedCells) =>
  closed(count, what, { outcome: 'sold', final_bid_cents: 12_000 })
const unsold = (count: number, what: FeedCells) =>
  closed(count, what, { ...UNBID, outcome: 'unsold' })

describe('the chance that a lot ends without a bid', () => {
  const ingestion = ingestionFor('all tests')

  async function storedOf(sourceId: string) {
    const [found] = await ingestion.sql`
      select l.no_bid_chance, l.flip_score, l.value_grade, a.factors, a.price_kind
      from lots l
      join appraisals a on a.lot_id = l.id
      where l.source_id = ${sourceId}`
    return found!
  }

  const open = [
    liveRow('binder', { ...BINDER, ...UNBID }),
    liveRow('stapler', { ...STAPLER, ...UNBID }),
    liveRow('bid-on', { ...BINDER, current_bid_cents: 500, num_bids: 1 }),
    liveRow('sealed', { ...BINDER, ...UNBID, description: 'Sealed bids only.' }),
    liveRow('untold', { ...BINDER, ...UNBID, num_bids: null }),
  ]

  beforeAll(() =>
    ingestion.load([...open, ...sold(60, BINDER), ...sold(60, STAPLER), ...unsold(80, BINDER)], {
      partial: true,
      scoreLater: false,
    }),
  )

  it('is not known while fewer than 100 lots have ended without a bid, and then nothing is said', async () => {
    const before = await storedOf('binder')
    expect(before).toMatchObject({ no_bid_chance: null, factors: { no_bid_points: 0 } })
    await ingestion.load(unsold(40, { ...BINDER, title: 'Electric arch binder' }), {
      partial: true,
      scoreLater: false,
    })
    await rescore(ingestion.sql, { now: NOW })
    expect((await storedOf('binder')).flip_score).toBeLessThan(before.flip_score)
  })

  it('is that of lots with its words', async () => {
    const [binder, stapler] = [await storedOf('binder'), await storedOf('stapler')]
    expect(binder.no_bid_chance).toBeGreaterThan(0.5)
    expect(stapler.no_bid_chance).toBeLessThan(0.25)
  })

  it('lowers the score of a lot without a bid as its factors say, and of no other', async () => {
    const points = async (id: string) => (await storedOf(id)).factors.no_bid_points
    expect(await points('binder')).toBeLessThan(-5)
    expect(await Promise.all(['bid-on', 'sealed', 'untold'].map(points))).toEqual([0, 0, 0])
  })

  it('goes with the first bid', async () => {
    await ingestion.load([liveRow('binder', { ...BINDER, current_bid_cents: 500, num_bids: 1 })], {
      partial: true,
      scoreLater: false,
    })
    const { factors, price_kind } = await storedOf('binder')
    expect([factors.no_bid_points, price_kind]).toEqual([0, 'current_bid'])
    await ingestion.load(open.slice(0, 1), { partial: true, scoreLater: false })
    expect((await storedOf('binder')).factors.no_bid_points).toBeLessThan(-5)
  })
})
