import type { Listing } from '../../contract/types.ts'
import { milesBetween } from '../../domain/search/circle.ts'
import { findZip } from '../places/zipTables.ts'

/** A Listing with its location, which is null where it is not known. */
export type LocatedListing = Listing & Place

/** Null where it is not known. */
type Place = { latitude: number | null; longitude: number | null }

/**
 * A lot as a search by this ZIP code (null: by none) shows it. The tables of
 * ZIP codes are not in the database.
 */
export function listingFrom<Lot extends Place>(
  zip: string | null,
  located: Lot,
): Omit<Lot, keyof Place> & Partial<Pick<Listing, 'distance_miles'>> {
  const { latitude, longitude, ...listing } = located
  const center = zip === null ? null : findZip(zip.slice(0, 5))
  if (!center || latitude === null || longitude === null) return listing
  return {
    ...listing,
    distance_miles:
      Math.round(10 * milesBetween(center, latitude, longitude)) / 10,
  }
}
