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

/** Half of the height and of the width of a box, in degrees. */
export interface HalfBox {
  north: number
  east: number
}

/**
 * Degrees north and south, and east and west, that contain the whole circle.
 */
export function boxAround({ latitude, radius_miles }: Circle): HalfBox {
  const north = radius_miles / MILES_PER_DEGREE + 0.01
  const widest = Math.min(89, Math.abs(latitude) + north)
  return { north, east: north / Math.cos((widest * Math.PI) / 180) }
}

/** The haversine formula. */
export function milesBetween(
  center: Point,
  latitude: number,
  longitude: number,
): number {
  const half = (degrees: number) =>
    Math.sin((degrees * RADIANS_PER_DEGREE) / 2) ** 2
  const cosines =
    Math.cos(center.latitude * RADIANS_PER_DEGREE) *
    Math.cos(latitude * RADIANS_PER_DEGREE)
  const root = Math.sqrt(
    half(latitude - center.latitude) +
      cosines * half(longitude - center.longitude),
  )
  return EARTH_DIAMETER_MILES * Math.asin(Math.min(1, root))
}

/**
 * Tells of a place, which may be unknown, whether it lies in a circle, as the
 * condition on `zip` in infra/search does.
 */
export function isInCircle(
  circle: Circle,
): (place: { [Name in keyof Point]: number | null }) => boolean {
  const { north, east } = boxAround(circle)
  return ({ latitude, longitude }) => {
    if (latitude === null || longitude === null) return false
    const isInBox =
      Math.abs(latitude - circle.latitude) <= north &&
      Math.abs(longitude - circle.longitude) <= east
    return (
      isInBox &&
      milesBetween(circle, latitude, longitude) <= circle.radius_miles
    )
  }
}
