import type { Input, Ok } from '../contract/types.ts'
import type { Caller } from '../domain/caller.ts'
import { readSources } from '../infra/listings/sources.ts'
import type { Deps } from '../usecases/deps.ts'

/** Every tracked source with its number of live lots, by key. */
export async function listSources(
  { reads }: Deps,
  _input: Input<'listSources'>,
  caller: Caller,
): Promise<Ok<'listSources'>> {
  return { data: await reads.read(caller, readSources) }
}
