import { createRequire } from 'node:module'
import { describe, expect, it } from 'vitest'
import { STATES } from '../../src/domain/feeds/states.ts'
import { findCity, findZip } from '../../src/infra/places/zipTables.ts'

describe('the place of a ZIP code', () => {
  it('has its city and its state', () => {
    const point = { latitude: 41.8858, longitude: -87.6181 }
    expect(findZip('60601')).toEqual({ ...point, state: 'IL', city: 'Chicago' })
  })

  it('is known for a post office box too', () => {
    expect(findZip('20500')).toMatchObject({ state: 'DC', city: 'Washington' })
  })

  it.each([
    ['75072', { latitude: 33.187899, longitude: -96.699951, state: 'TX', city: 'Mckinney' }],
    ['99506', { latitude: 61.271958, longitude: -149.807145, state: 'AK', city: 'Jber' }],
    ['10200', { latitude: 40.77, longitude: -73.95, state: 'NY', city: 'New York' }],
  ])('is corrected where the table lacks %s or has it elsewhere', (zip, place) => {
    expect(findZip(zip)).toEqual(place)
  })

  it('covers the territories', () => {
    const states = ['00901', '96910', '00802', '96799', '96950'].map(zip => findZip(zip)?.state)
    expect(states).toEqual(['PR', 'GU', 'VI', 'AS', 'MP'])
  })

  const unknown = ['00000', '99999', '', '6060', '60601-1234', 'constructor', '__proto__']
  it.each([...unknown, '09002', '96201', '34002', 'A0A'])('is unknown for "%s"', zip =>
    expect(findZip(zip)).toBeNull(),
  )
})

it('the table that is read as text is that of the package', () => {
  const { codes } = createRequire(import.meta.url)('zipcodes/lib/codes.js') as {
    codes: Record<string, Record<string, string>>
  }
  const domestic = Object.values(codes).filter(
    ({ zip, state }) => /^\d{5}$/.test(zip!) && STATES.has(state!),
  )
  expect(domestic).toHaveLength(41_898)
  const unlike = domestic.flatMap(({ zip, city, state, latitude, longitude }) => {
    const found = findZip(zip!)
    const isSame = found?.city === city && found?.state === state && found?.latitude === latitude
    return isSame && found?.longitude === longitude ? [] : zip
  })
  expect(unlike).toHaveLength(10)
})

describe('the place of a city', () => {
  it('is the middle of its ZIP codes, in any case of letters', () => {
    const [chicago, shouted] = [findCity('Chicago', 'IL'), findCity(' CHICAGO ', 'il')]
    expect(chicago).toEqual(shouted)
    expect(chicago?.latitude).toBeCloseTo(41.9, 0)
    expect(chicago?.longitude).toBeCloseTo(-87.6, 0)
  })

  it('is not moved by a code that stands far away', () => {
    expect(findCity('New York', 'NY')?.longitude).toBeCloseTo(-74, 0)
  })

  it('is unknown in another state', () => {
    expect(findCity('Chicago', 'TX')).toBeNull()
  })
})
