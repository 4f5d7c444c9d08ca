import { RawJson } from '../contract/rawJson.ts'
import type { Input, Ok } from '../contract/types.ts'
import type { Caller } from '../domain/caller.ts'
import { readItems } from '../infra/listings/items.ts'
import type { Deps } from '../usecases/deps.ts'

/** Every tracked item with its live lots and its sales of the trailing 365 days, by slug. */
export async function listItems(
  { reads }: Deps,
  _input: Input<'listItems'>,
  caller: Caller,
): Promise<RawJson<Ok<'listItems'>>> {
  const { value, ...validity } = await reads.read(caller, readItems)
  return new RawJson(`{"data":${value}}`, validity)
}
