import { photoOf } from '../../domain/photos.ts'
import {
  type FetchManners,
  photoStatus,
} from '../../infra/fetching/politeFetch.ts'
import {
  readUncheckedPhoto,
  storePhotoStatus,
} from '../../infra/ingestion/sources.ts'
import type { Sql } from '../../infra/postgres/database.ts'

/**
 * Asks whether the photos of a source are shown to the public, once a day, by
 * one photo of its open lots.
 */
export async function checkPhotos(
  sql: Sql,
  source: string,
  manners: FetchManners,
  stop: AbortSignal,
) {
  const image_url = await readUncheckedPhoto(sql, source)
  const address = photoOf({ source, image_url })
  if (address !== null)
    await storePhotoStatus(
      sql,
      source,
      await photoStatus(new URL(address), manners, stop),
    )
}
