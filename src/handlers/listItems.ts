import items from '../../data/items.json' with { type: 'json' }
import { RawJson } from '../contract/rawJson.ts'
import type { Ok } from '../contract/types.ts'
import type { Caller } from '../domain/caller.ts'
import { readItems } from '../infra/listings/items.ts'
import type { Deps } from '../usecases/deps.ts'

/** By slug. */
export const TRACKED_ITEMS = items
  .map(({ slug, name, category }) => ({ slug, name, category }))
  .toSorted((a, b) => (a.slug < b.slug ? -1 : 1))

/** Every tracked item with its live lots and its sales of the trailing 365 days, by slug; JSON, as PostgreSQL wrote it. */
export async function listItemsText({ reads }: Deps, caller: Caller): Promise<RawJson<Ok<'listItems'>>> {
  const { value, ...validity } = await reads.read(caller, ({ sql, now }) =>
    readItems(sql, now, TRACKED_ITEMS),
  )
  return new RawJson(`{"data":${value}}`, { validity })
}
