import type { Listing } from '../contract/types.ts'
import type { Caller } from '../domain/caller.ts'
import { searchWords } from '../domain/search/searchWords.ts'
import { titleWords } from '../domain/titles/titleWords.ts'
import { findCity, findZip } from '../infra/places/zipTables.ts'
import { findSimilarLots } from '../infra/site/siteReads.ts'
import type { Deps } from '../usecases/deps.ts'
import {
  type AppraisalsShown,
  readAppraisals,
} from '../usecases/valuation/readAppraisal.ts'

const SIMILAR_SHOWN = 8
/** More words of a title match nearly every lot of a category. */
const WORDS_USED = 6

/** Live lots of the same kind as a lot, nearest first, and their appraisals. */
export interface SimilarLots {
  lots: Listing[]
  values: AppraisalsShown
}

/**
 * The live lots of the same item; where there are none, those in the same
 * category with words of the title.
 */
export async function readSimilarLots(
  deps: Deps,
  listing: Listing,
  caller: Caller,
): Promise<SimilarLots> {
  const { item, zip, city, state } = listing
  const place =
    (zip && findZip(zip.slice(0, 5))) ||
    (city && state && findCity(city, state)) ||
    null
  const words = searchWords(
    titleWords(listing.title).slice(0, WORDS_USED).join(' or '),
  ).read
  const ways =
    item === null ? [words] : [`'${item.replaceAll('-', '')}':B`, words]
  for (const way of ways.filter(text => text !== '')) {
    const lots = await deps.reads.read(caller, context =>
      findSimilarLots(context, listing, way, place, SIMILAR_SHOWN),
    )
    if (lots.length > 0)
      return { lots, values: await readAppraisals(deps, lots, caller) }
  }
  return { lots: [], values: new Map() as AppraisalsShown }
}
