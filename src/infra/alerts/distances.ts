import type { Listing } from '../../contract/types.ts'
import { milesBetween } from '../../domain/search/circle.ts'
import { findZip } from '../places/zipTables.ts'

/** A Listing with its location, which is null where it is not known. */
export type LocatedListing = Listing & { latitude: number | null; longitude: number | null }

/** A lot as a search by this ZIP code (null: by none) shows it. The tables of ZIP codes are not in the database. */
export function listingFrom(zip: string | null, located: LocatedListing) {
  const { latitude, longitude, ...listing } = located
  const center = zip === null ? null : findZip(zip.slice(0, 5))
  if (!center || latitude === null || longitude === null) return listing
  return { ...listing, distance_miles: Math.round(10 * milesBetween(center, latitude, longitude)) / 10 }
}
