import type { Schemas } from '../contract/types.ts'
import type { Caller } from '../domain/caller.ts'
import { readLastSuccess } from '../infra/ingestion/sources.ts'
import { readCoverage, readSources, type SourceCoverage } from '../infra/listings/sources.ts'
import type { Deps } from '../usecases/deps.ts'
import { readTraffic, type SourceTraffic } from '../usecases/ingestion/trackedSources.ts'

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

/** A source with its terms and coverage, and with what its sweeps have learned and cost; null for one that no program fetches. */
export type SourceShown = Schemas['Source'] &
  Omit<SourceCoverage, 'source'> & { traffic: SourceTraffic | null }

/** The same sources as a page shows them. */
export async function listSourcesShown(deps: Deps, caller: Caller): Promise<SourceShown[]> {
  const [sources, coverage, traffic] = await Promise.all([
    listSources(deps, caller),
    deps.reads.read(caller, readCoverage),
    deps.primary(readTraffic),
  ])
  const covered = new Map(coverage.map(each => [each.source, each]))
  // Sources are never removed, so the second statement knows all of the first.
  return sources.flatMap(source => {
    const facts = covered.get(source.source)
    return facts ? { ...source, ...facts, traffic: traffic.get(source.source) ?? null } : []
  })
}
