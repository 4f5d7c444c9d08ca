interface Place {
  latitude: number
  longitude: number
}

const EARTH_RADIUS_MILES = 3_958.8

/** The great-circle distance, by the spherical law of cosines. */
export function milesBetween(a: Place, b: Place): number {
  const between = radians(b.longitude - a.longitude)
  const cosine =
    Math.sin(radians(a.latitude)) * Math.sin(radians(b.latitude)) +
    Math.cos(radians(a.latitude)) * Math.cos(radians(b.latitude)) * Math.cos(between)
  return EARTH_RADIUS_MILES * Math.acos(cosine)
}

/**
 * The places so many miles north, south, east and west of another; east and west on its own
 * parallel.
 */
export function around({ latitude, longitude }: Place, miles: number): Place[] {
  const up = degrees(miles / EARTH_RADIUS_MILES)
  const half = Math.sin(miles / EARTH_RADIUS_MILES / 2) / Math.cos(radians(latitude))
  const aside = degrees(2 * Math.asin(half))
  return [
    { latitude: latitude + up, longitude },
    { latitude: latitude - up, longitude },
    { latitude, longitude: longitude + aside },
    { latitude, longitude: longitude - aside },
  ]
}

function radians(angle: number): number {
  return (angle * Math.PI) / 180
}

function degrees(angle: number): number {
  return (angle * 180) / Math.PI
}
