import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { STATES } from '../../domain/feeds/states.ts'
import { grouped } from '../../domain/grouped.ts'
import { milesBetween, type Point } from '../../domain/search/circle.ts'
import type { City } from '../../domain/search/readPlace.ts'

/** Where a ZIP code is. */
export type ZipPlace = Point & { city: string; state: string }

type PostalPlace = ZipPlace & { zip: string }

const require = createRequire(import.meta.url)

/**
 * Codes that GeoNames lacks or has 45 miles and more from their place, as the
 * Census has them; how they were found: docs/decisions/0044-zip-codes.md
 */
const CORRECTIONS: [
  zip: string,
  city: string,
  state: string,
  latitude: number,
  longitude: number,
][] = [
  ['10200', 'New York', 'NY', 40.77, -73.95],
  ['66040', 'Lacygne', 'KS', 38.356875, -94.738049],
  ['72405', 'Jonesboro', 'AR', 35.90269, -90.650204],
  ['72713', 'Bentonville', 'AR', 36.297956, -94.282784],
  ['75036', 'Frisco', 'TX', 33.133351, -96.914663],
  ['75072', 'Mckinney', 'TX', 33.187899, -96.699951],
  ['80840', 'U S A F Academy', 'CO', 39.000068, -104.864468],
  ['83648', 'Mountain Home A F B', 'ID', 43.049186, -115.86586],
  ['86443', 'Temple Bar Marina', 'AZ', 35.948754, -114.444872],
  ['86544', 'Red Valley', 'AZ', 36.544317, -109.142198],
  ['89437', 'Sparks', 'NV', 39.501156, -119.468805],
  ['91759', 'Mt Baldy', 'CA', 34.263699, -117.699574],
  ['95923', 'Canyon Dam', 'CA', 40.183804, -121.136688],
  ['99505', 'Jber', 'AK', 61.284745, -149.653973],
  ['99506', 'Jber', 'AK', 61.271958, -149.807145],
]

let tables: ZipTables | undefined
// Why: loads of lots without a ZIP code, up to a millisecond a lot; node --import tsx bench/feedLoad.ts
const knownCities = new Map<string, CityPlace[]>()

/** A city in one state: the median point of its ZIP codes. */
type CityPlace = City & Point

interface ZipTables {
  byZip: Map<string, PostalPlace>
  byCity: Map<string, PostalPlace[]>
}

/** Reads the table, so that no call waits for it. */
export function loadZipTables(): ZipTables {
  tables ??= readTables()
  return tables
}

/**
 * Where a ZIP code (five digits) is, by GeoNames (`zipcodes`); null for a code
 * that it lacks, and for military mail: the location of an APO is not
 * published, and some have points in the sea or in a foreign capital. The table
 * is read on first use.
 */
export function findZip(zip: string): ZipPlace | null {
  const place = loadZipTables().byZip.get(zip)
  if (!place) return null
  const { city, state, latitude, longitude } = place
  return { latitude, longitude, state, city }
}

/**
 * The median point of a city's ZIP codes; null for a city that the table does
 * not list in that state.
 */
export function findCity(city: string, state: string): CityPlace | null {
  return findCities(city).find(one => one.state === state.toUpperCase()) ?? null
}

/**
 * The cities with a name, one for each state that has it; the one with the most
 * ZIP codes first.
 */
export function findCities(name: string): CityPlace[] {
  const key = cityKey(name)
  const kept = knownCities.get(key)
  const places = loadZipTables().byCity.get(key)
  if (kept || !places) return kept ?? []
  const cities = Array.from(
    grouped(places, place => place.state).values(),
    own => {
      const middle = middleOf(own)
      const miles = own.map(({ latitude, longitude }) =>
        milesBetween(middle, latitude, longitude),
      )
      const { city, state, zip } = own[miles.indexOf(Math.min(...miles))]!
      return { city, state, zip, zips: own.length, ...middle }
    },
  )
  cities.sort((one, other) => other.zips - one.zips)
  knownCities.set(key, cities)
  return cities
}

/**
 * The package is a JavaScript program of one big literal. Read as text it takes
 * less memory than compiled, and a third of the time. Its version is exact, and
 * test/infra/places.test.ts fails if another version is written otherwise.
 */
function readTables(): ZipTables {
  const text = readFileSync(require.resolve('zipcodes/lib/codes.js'), 'utf8')
  // Without its Canadian codes.
  const literal = text.slice(text.indexOf('{'), text.indexOf('}}') + 2)
  const byZip = new Map(
    Object.entries(JSON.parse(literal) as Record<string, PostalPlace>),
  )
  for (const [zip, city, state, latitude, longitude] of CORRECTIONS)
    byZip.set(zip, { zip, city, state, latitude, longitude })
  for (const [zip, place] of byZip)
    if (!STATES.has(place.state)) byZip.delete(zip)
  return {
    byZip,
    byCity: grouped([...byZip.values()], ({ city }) => cityKey(city)),
  }
}

/** The median, because a few codes are far from their city. */
function middleOf(places: Point[]): Point {
  return {
    latitude: median(places, 'latitude'),
    longitude: median(places, 'longitude'),
  }
}

function median(places: Point[], coordinate: 'latitude' | 'longitude'): number {
  const values = places.map(place => place[coordinate]).sort((a, b) => a - b)
  return values[values.length >> 1]!
}

/**
 * The same key for "St. Louis" and "Saint Louis", "Ft. Worth" and "Fort Worth".
 */
function cityKey(city: string) {
  return city
    .toUpperCase()
    .replace(/[.',]/g, '')
    .replace(/[\s-]+/g, ' ')
    .trim()
    .replace(/^SAINT /, 'ST ')
    .replace(/^FT /, 'FORT ')
    .replace(/^MT /, 'MOUNT ')
    .replace(/^WASHINGTON DC$/, 'WASHINGTON')
    .replace(/^NEW YORK CITY$/, 'NEW YORK')
}
