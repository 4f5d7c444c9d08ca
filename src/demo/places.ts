import states from '../../data/demo/places.json' with { type: 'json' }
import { type Random, weighted } from './random.ts'

export interface Place {
  state: string
  city: string
  zip: string
  /** How prices of this state compare with the country, as a factor of about 0.85 to 1.15. */
  price_factor: number
}

const PLACES = Object.entries(states).flatMap(([state, { weight, places }]) =>
  places.map(({ city, zip }) => ({
    weight: weight / places.length,
    value: { state, city, zip, price_factor: priceFactor(state) },
  })),
)

/** A real city with one of its ZIP codes (GeoNames, CC BY 4.0), from every state, DC, PR, GU and VI; busy states more often. */
export const drawPlace: (random: Random) => Place = weighted(PLACES)

/** The same within one state. */
export function placesOf(state: string): (random: Random) => Place {
  return weighted(PLACES.filter(place => place.value.state === state))
}

/** Any fixed number per state will do: real prices differ a little by state, and no data say how. */
function priceFactor(state: string): number {
  const scattered = (state.charCodeAt(0) * 31 + state.charCodeAt(1) * 17) % 61
  return 0.85 + (0.3 * scattered) / 60
}
