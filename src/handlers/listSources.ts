import type { Input, Ok } from '../contract/types.ts'
import { readSources } from '../infra/site/sources.ts'
import type { Deps } from '../usecases/deps.ts'

/** Every tracked source with its number of live lots, by key. */
export async function listSources(
  { counts }: Deps,
  _input: Input<'listSources'>,
): Promise<Ok<'listSources'>> {
  return { data: await counts('sources', readSources) }
}
