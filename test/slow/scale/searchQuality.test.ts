import { parseFile } from 'fast-csv'
import { describe } from 'vitest'
import { demoLots } from '../../../src/demo/demoLots.ts'
import { completedRow, type LotRow } from '../../../src/domain/feeds/lotRow.ts'
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
    const row = completedRow({
      source: 'gsa',
      source_id: id!,
      title: title!,
      source_url: source_url!,
      category: kind,
      state: state!,
      city: city!,
      zip: zip!,
      starting_bid_cents: 5000,
      num_bids: 0,
      offer_kind: 'auction',
    })
    rows.set(id!, row)
  }
  return [...rows.values()]
}
