import type { Random } from '../../../src/demo/random.ts'
import type { SavedSearch } from '../../../src/domain/alerts/savedSearch.ts'

const MAKES = 'ford|chevrolet|dell|toyota|caterpillar|john deere|honda|hp|steelcase|freightliner'.split('|')
const THINGS = 'truck|laptop|desk|generator|trailer|forklift|mower|van|sedan|pump|printer|rifle'.split('|')

type Query = SavedSearch['query']

/** Like people's: words, a place, a price. There are 2,000 different words. */
export function peopleQuery(random: Random): Query {
  const price_max = random.whole(1, 100) * 100
  const place: Query = random.chance(0.5)
    ? { state: random.pick(['TX', 'CA', 'FL', 'IL', 'OH', 'VA', 'WA', 'GA']) }
    : {
        zip: random.pick(['60601', '90012', '77002', '30303', '98101']),
        radius_miles: random.pick([50, 100, 200]),
      }
  const q = `${random.pick(MAKES)} ${random.pick(THINGS)} -${random.whole(1, 17)}`
  switch (random.whole(1, 4)) {
    case 1:
      return { q, price_max }
    case 2:
      return { category: random.pick(['vehicles', 'electronics', 'heavy-equipment']), price_max, ...place }
    case 3:
      return { q: random.pick(THINGS), ...place }
    default:
      return { category: 'vehicles', min_flip_score: random.whole(40, 90), ...place }
  }
}
