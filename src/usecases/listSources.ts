import type { Schemas } from '../contract/types.ts'
import type { Caller } from '../domain/caller.ts'
import { readLastSuccess } from '../infra/ingestion/sources.ts'
import { readSources } from '../infra/listings/sources.ts'
import type { Deps } from './deps.ts'

/** Every tracked source with its live lots. */
export async function listSources({ reads }: Deps, caller: Caller): Promise<Schemas['Source'][]> {
  return reads.read(caller, readSources)
}

/** When each source was last loaded completely, in seconds since 1970. Sources that never were are left out. */
export function readFreshness({
  primary,
}: Deps): Promise<{ source: string; last_success_seconds: number }[]> {
  return primary(sql => readLastSuccess(sql))
}
