import { RawJson } from '../contract/rawJson.ts'
import type { Input, Ok } from '../contract/types.ts'
import { readItems } from '../infra/prices/items.ts'
import type { Deps } from '../usecases/deps.ts'

/**
 * Every tracked item with its live lots and its sales of the trailing 365 days,
 * by slug.
 */
export async function listItems(
  { counts }: Deps,
  _input: Input<'listItems'>,
): Promise<RawJson<Ok<'listItems'>>> {
  const items = await counts('items', readItems)
  return new RawJson(`{"data":${items}}`)
}
