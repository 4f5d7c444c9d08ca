import type { Schemas } from '../contract/types.ts'
import type { Caller } from '../domain/caller.ts'
import { readSources } from '../infra/listings/sources.ts'
import type { Deps } from './deps.ts'

/** Every tracked source with its live lots. */
export async function listSources({ reads }: Deps, caller: Caller): Promise<Schemas['Source'][]> {
  return reads.read(caller, readSources)
}
