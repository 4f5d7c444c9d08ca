import type { Schemas } from '../../contract/types.ts'
import type { Caller } from '../../domain/caller.ts'
import { listSources } from '../../handlers/listSources.ts'
import { readCoverage, type SourceCoverage } from '../../infra/listings/sources.ts'
import type { Deps } from '../deps.ts'
import { readTraffic, type SourceTraffic } from '../ingestion/trackedSources.ts'

/** A source with its terms and coverage, and with the results and costs of its sweeps; null for one that no program fetches. */
export type SourceShown = Schemas['Source'] &
  Omit<SourceCoverage, 'source'> & { traffic: SourceTraffic | null }

/** The sources of `listSources` as a page shows them. */
export async function showSources(deps: Deps, caller: Caller): Promise<SourceShown[]> {
  const [{ data: sources }, coverage, traffic] = await Promise.all([
    listSources(deps, {}, caller),
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
