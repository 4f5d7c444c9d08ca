import { demoLots } from '../../src/demo/demoLots.ts'
import { NOW } from '../support/lots/fixtures.ts'
import { TRADE_WORDS, testSearchOf } from '../support/lots/searchQuality.ts'

// All words, with real titles too: test/slow/scale/searchQuality.test.ts.
const words = TRADE_WORDS.filter((_, n) => n % 6 === 0)
testSearchOf(
  'demo lots',
  async () => [...demoLots({ lots: 500, sales: 0, seed: 7, asOf: NOW })],
  words,
  5,
)
