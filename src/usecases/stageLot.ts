import { classifyCategory } from '../domain/categories.ts'
import { tagItem } from '../domain/items.ts'
import type { LotRow } from '../domain/lotRow.ts'
import { slugOf } from '../domain/slug.ts'
import { closingOf, type StagedLot } from '../domain/stagedLot.ts'
import { findCity, findZip } from '../infra/places.ts'

/** A checked row as a lot: with its place, category, tracked item, slug, and how it stands at `now`. */
export function stageLot(row: LotRow, now: Date): StagedLot {
  const { start_date, end_date, ...same } = row
  return {
    ...same,
    ...closingOf(row, now),
    ...placeOf(row),
    slug: slugOf(row.title, row.source, row.source_id),
    category: row.category ?? classifyCategory(row.title, row.description),
    item: tagItem(row.title),
    starts_at: start_date ?? '-infinity',
    ends_at: end_date ?? 'infinity',
  }
}

/** By the ZIP code, which also fills in the city and the state; else by the city's name. */
function placeOf(row: LotRow): Pick<StagedLot, 'latitude' | 'longitude' | 'state' | 'city'> {
  const zipPlace = row.zip === null ? null : findZip(row.zip.slice(0, 5))
  const state = row.state ?? zipPlace?.state ?? null
  const city = row.city ?? zipPlace?.city ?? null
  const point = zipPlace ?? (state !== null && city !== null ? findCity(city, state) : null)
  return { latitude: point?.latitude ?? null, longitude: point?.longitude ?? null, state, city }
}
