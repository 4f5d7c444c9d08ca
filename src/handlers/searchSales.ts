import { invalidRequest } from '../contract/errors.ts'
import { pageJson, type RawJson } from '../contract/rawJson.ts'
import type { Input, Ok } from '../contract/types.ts'
import type { Caller } from '../domain/caller.ts'
import { startOfDay } from '../domain/search/filters.ts'
import { searchWords } from '../domain/search/searchWords.ts'
import { assertTrackedItem } from '../domain/titles/trackedItems.ts'
import { findSales, type SaleFilter } from '../infra/search/sales.ts'
import type { Deps } from '../usecases/deps.ts'
import { assertPriceRange } from '../usecases/searchLots.ts'
import {
  nullWhileUnavailable,
  suggestWords,
} from '../usecases/suggestSearches.ts'

/**
 * One page of the past sales that match, with the exact count of all.
 * @throws ApiError invalid_request for a date that does not exist or a reversed
 * range; not_found for an item that is not tracked.
 */
export async function searchSales(
  deps: Deps,
  input: Input<'searchSales'>,
  caller: Caller,
): Promise<RawJson<Ok<'searchSales'>>> {
  const { page, per_page, sort } = input
  const window = { sort, limit: per_page, offset: (page - 1) * per_page }
  const found = (search: typeof input) => {
    const filter = saleFilterOf(search)
    return deps.reads.read(caller, context =>
      findSales(context, filter, window),
    )
  }
  const { text, total } = await found(input)
  const countOf = async (q: string) => (await found({ ...input, q })).total
  const suggestion = await suggestWords(
    deps,
    { ...input, total },
    countOf,
    caller,
  ).catch(nullWhileUnavailable)
  return pageJson(text, { page, per_page, total }, { suggestion })
}

function saleFilterOf(input: Input<'searchSales'>): SaleFilter {
  assertPriceRange(input)
  const { sold_after, sold_before, item } = input
  if (
    sold_after !== undefined &&
    sold_before !== undefined &&
    sold_before <= sold_after
  ) {
    throw invalidRequest(
      `"sold_before" (${sold_before}) must lie after "sold_after" (${sold_after}).`,
    )
  }
  if (item !== undefined) assertTrackedItem(item)
  return {
    words: input.q === undefined ? null : searchWords(input.q).all,
    category: input.category ?? null,
    state: input.state?.toUpperCase() ?? null,
    source: input.source ?? null,
    item: item ?? null,
    price_min: input.price_min ?? null,
    price_max: input.price_max ?? null,
    soldFrom: secondsOf('sold_after', sold_after),
    soldUntil: secondsOf('sold_before', sold_before),
  }
}

/** In seconds since 1970. */
function secondsOf(name: string, day: string | undefined) {
  return day === undefined ? null : startOfDay(name, day) / 1000
}
