import type { LotTable } from './lotTable.ts'

/** A point in degrees. */
export interface Point {
  latitude: number
  longitude: number
}

/** A point and a radius around it. */
export interface Circle extends Point {
  radius_miles: number
}

/** The mean diameter of the earth. */
export const EARTH_DIAMETER_MILES = 7917.6
/** One degree of latitude in miles. */
const MILES_PER_DEGREE = 69.0
const RADIANS_PER_DEGREE = Math.PI / 180

/** Degrees north and south, and east and west, that contain the whole circle. */
export function boxAround({ latitude, radius_miles }: Circle) {
  const north = radius_miles / MILES_PER_DEGREE + 0.01
  const widest = Math.min(89, Math.abs(latitude) + north)
  return { north, east: north / Math.cos((widest * Math.PI) / 180) }
}

/** The haversine formula. */
export function milesBetween(center: Point, latitude: number, longitude: number) {
  const half = (degrees: number) => Math.sin((degrees * RADIANS_PER_DEGREE) / 2) ** 2
  const cosines = Math.cos(center.latitude * RADIANS_PER_DEGREE) * Math.cos(latitude * RADIANS_PER_DEGREE)
  const root = Math.sqrt(half(latitude - center.latitude) + cosines * half(longitude - center.longitude))
  return EARTH_DIAMETER_MILES * Math.asin(Math.min(1, root))
}

/**
 * The distance of each place of a table, infinity outside the circle: the box and the formula of the condition on `zip` in
 * infra/listings, in the same order of operations.
 */
export function milesToPlaces(
  { latitudes, longitudes }: Pick<LotTable, 'latitudes' | 'longitudes'>,
  center: Circle,
) {
  const { north, east } = boxAround(center)
  return Float64Array.from(latitudes, (latitude, place) => {
    const longitude = longitudes[place]!
    const isInBox =
      latitude >= center.latitude - north &&
      latitude <= center.latitude + north &&
      longitude >= center.longitude - east &&
      longitude <= center.longitude + east
    const miles = isInBox ? milesBetween(center, latitude, longitude) : Infinity
    return miles <= center.radius_miles ? miles : Infinity
  })
}
