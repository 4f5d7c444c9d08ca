import type { Listing } from '../../contract/types.ts'
import type { Caller } from '../../domain/caller.ts'
import { rounded } from '../../domain/price.ts'
import { searchWords } from '../../domain/search/searchWords.ts'
import { titleWords } from '../../domain/titles/titleWords.ts'
import { findLotValues, findSimilarLots } from '../../infra/listings/siteReads.ts'
import { findCity, findZip } from '../../infra/places/zipTables.ts'
import type { Deps } from '../deps.ts'

const SIMILAR_SHOWN = 8
/** More words of a title match nearly every lot of a category. */
const WORDS_USED = 6

/** Live lots of the same kind as a lot, nearest first, and what they are worth. */
export type SimilarLots = Awaited<ReturnType<typeof readSimilarLots>>

/** The live lots of the same item; where there are none, those in the same category with words of the title. */
export async function readSimilarLots(deps: Deps, listing: Listing, caller: Caller) {
  const { item, zip, city, state } = listing
  const place = (zip && findZip(zip.slice(0, 5))) || (city && state && findCity(city, state)) || null
  const words = searchWords(titleWords(listing.title).slice(0, WORDS_USED).join(' or ')).read
  const ways = item === null ? [words] : [`'${item.replaceAll('-', '')}':B`, words]
  for (const way of ways.filter(text => text !== '')) {
    const lots = await deps.reads.read(caller, context =>
      findSimilarLots({ ...context, publicUrl: deps.publicUrl }, listing, way, place, SIMILAR_SHOWN),
    )
    if (lots.length > 0) return { lots, values: await readLotValues(deps, lots, caller) }
  }
  return { lots: [], values: new Map() as LotValues }
}

/** What a card shows of a lot's market, in US cents rounded to two digits. */
interface LotValue {
  estimated: number
  /** The middle of the comparable sales. */
  median: number
  soldCount: number
}

/** The values of lots by their ids. A lot without comparable sales has none. */
export type LotValues = ReadonlyMap<string, LotValue>

/** Reads what these lots are worth, in one statement. */
export async function readLotValues(
  { reads }: Deps,
  lots: readonly Pick<Listing, 'id'>[],
  caller: Caller,
): Promise<LotValues> {
  if (lots.length === 0) return new Map()
  const ids = lots.map(({ id }) => id)
  const rows = await reads.read(caller, ({ sql }) => findLotValues(sql, ids))
  return new Map(
    rows.map(({ id, estimated_cents, median_cents, sold_count }) => [
      id,
      { estimated: rounded(estimated_cents), median: rounded(median_cents), soldCount: sold_count },
    ]),
  )
}
