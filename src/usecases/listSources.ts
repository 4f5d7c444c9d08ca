import type { Schemas } from '../contract/types.ts'
import { countLiveBySource } from '../infra/liveBySource.ts'
import type { RunStatement } from '../infra/searchIndex/openLots.ts'
import type { Deps } from './deps.ts'

/** Every tracked source with its live lots. */
export async function listSources({
  guard,
  readLots,
  openLots,
  publicUrl,
}: Deps): Promise<Schemas['Source'][]> {
  const run: RunStatement = statement =>
    guard(() => readLots.read(place => statement({ ...place, publicUrl })))
  return (await openLots.countBySource(run)) ?? run(countLiveBySource)
}
