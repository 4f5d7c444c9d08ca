import { RawJson } from '../contract/rawJson.ts'
import type { Input, Ok } from '../contract/types.ts'
import type { Caller } from '../domain/caller.ts'
import { findBids } from '../infra/search/changes.ts'
import type { Deps } from '../usecases/deps.ts'
import { lotNamed } from '../usecases/namedLots.ts'

/**
 * The observed bids of one lot, by its id or slug.
 * @throws ApiError not_found for anything else.
 */
export async function listBids(
  deps: Deps,
  { id }: Input<'listBids'>,
  caller: Caller,
): Promise<RawJson<Ok<'listBids'>>> {
  const { text } = await lotNamed(id, by =>
    deps.reads.read(caller, context => findBids(context, by)),
  )
  return new RawJson(text)
}
