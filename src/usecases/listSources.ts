import type { Schemas } from '../contract/types.ts'
import { countLiveBySource } from '../infra/listings.ts'
import type { Deps } from './deps.ts'

/** Every tracked source with its live lots. */
export async function listSources({ guard, readLots, publicUrl }: Deps): Promise<Schemas['Source'][]> {
  return guard(() => readLots.read(place => countLiveBySource({ ...place, publicUrl })))
}
