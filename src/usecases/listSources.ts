import type { Schemas } from '../contract/types.ts'
import { countLiveBySource } from '../infra/listings.ts'
import type { Deps } from './deps.ts'

/** Every tracked source with its live lots. */
export async function listSources({ db, guard, publicUrl, now }: Deps): Promise<Schemas['Source'][]> {
  return guard(() => countLiveBySource({ sql: db.read, publicUrl, now: now() }))
}
