import { RawJson } from '../contract/rawJson.ts'
import type { Input, Ok } from '../contract/types.ts'
import type { Caller } from '../domain/caller.ts'
import type { Deps } from '../usecases/deps.ts'
import { lotNamed } from '../usecases/namedLots.ts'

/**
 * One lot by its id or slug, in any state of its life.
 * @throws ApiError not_found for anything else.
 */
export async function getListing(
  deps: Deps,
  { id }: Input<'getListing'>,
  caller: Caller,
): Promise<RawJson<Ok<'getListing'>>> {
  const lot = await lotNamed(id, by => deps.readListing(caller, by))
  return new RawJson(`{"data":${lot}}`)
}
