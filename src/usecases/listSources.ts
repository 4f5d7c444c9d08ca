import type { Schemas } from '../contract/types.ts'
import type { Caller } from '../domain/caller.ts'
import { readLastSuccess } from '../infra/ingestion/sources.ts'
import { readSources } from '../infra/listings/sources.ts'
import type { Deps } from './deps.ts'
import { readTraffic, type SourceTraffic } from './ingestion/trackedSources.ts'

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

/** A source with what its sweeps have learned and cost; null for one that no program fetches. */
export type SourceWithCosts = Schemas['Source'] & { traffic: SourceTraffic | null }

/** The same sources with the rhythm and the costs of their sweeps. */
export async function listSourcesWithCosts(deps: Deps, caller: Caller): Promise<SourceWithCosts[]> {
  const [sources, traffic] = await Promise.all([listSources(deps, caller), deps.primary(readTraffic)])
  return sources.map(source => ({ ...source, traffic: traffic.get(source.source) ?? null }))
}
