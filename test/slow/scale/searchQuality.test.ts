import { parseFile } from 'fast-csv'
import { describe } from 'vitest'
import { demoLots } from '../../../src/demo/demoLots.ts'
import type { LotRow } from '../../../src/domain/feeds/lotRow.ts'
import { NOW } from '../../support/lots/fixtures.ts'
import { TRADE_WORDS, testSearchOf } from '../../support/lots/searchQuality.ts'
import { ON_REAL_LOTS, REAL_LOTS } from '../../support/run/realLots.ts'

testSearchOf(
  'demo lots',
  async () => [...demoLots({ lots: 2000, sales: 0, seed: 7, asOf: NOW })],
  TRADE_WORDS,
  60,
)
describe('the search of real lots', ON_REAL_LOTS, () =>
  testSearchOf('real titles', realRows, TRADE_WORDS, 60),
)

async function realRows(): Promise<LotRow[]> {
  const rows = new Map<string, LotRow>()
  for await (const cells of parseFile<Record<string, string>, Record<string, string>>(REAL_LOTS!, {
    headers: true,
  })) {
    const { id, title, category, state, city, zip, source_url } = cells as Record<string, string>
    const kind = category === 'miscellaneous' ? 'other' : category!
    rows.set(id!, {
      source: 'gsa',
      source_id: id!,
      title: title!,
      source_url: source_url!,
      description: null,

      category: kind,
      state: state!,
      city: city!,
      zip: zip!,

      current_bid_cents: null,
      buy_now_cents: null,
      starting_bid_cents: 5000,
      num_bids: 0,
      reserve_met: null,
      buyers_premium_percent: null,
      odometer_miles: null,
      engine_hours: null,
      runs: null,
      road_title: null,
      open_recall: null,

      condition_grade: null,
      image_url: null,
      start_date: null,
      end_date: null,

      outcome: null,
      final_bid_cents: null,
      price_basis: null,
      offer_kind: 'auction',

      bid_increment_cents: null,
      auction_name: null,
    })
  }
  return [...rows.values()]
}
