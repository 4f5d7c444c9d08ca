import type { Schemas } from '../contract/types.ts'
import type { Caller } from '../domain/caller.ts'
import { countLiveBySource } from '../infra/liveBySource.ts'
import type { RunStatement } from '../infra/searchIndex/openLots.ts'
import type { Deps } from './deps.ts'

/** Every tracked source with its live lots. */
export async function listSources(
  { reads, openLots, publicUrl }: Deps,
  caller: Caller,
): Promise<Schemas['Source'][]> {
  const run: RunStatement = statement => reads.read(caller, context => statement({ ...context, publicUrl }))
  return (await openLots.countBySource(run)) ?? run(countLiveBySource)
}
