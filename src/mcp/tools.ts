import type { CacheValidity } from '../contract/rawJson.ts'
import type { ToolChanges } from '../contract/toolSchemas.ts'
import type { Input, Listing, OperationId, Schemas } from '../contract/types.ts'
import type { Caller } from '../domain/caller.ts'
import type { ApiError } from '../domain/errors.ts'
import type { Deps } from '../usecases/deps.ts'
import { readComps } from '../usecases/readComps.ts'
import { readFlipScore } from '../usecases/readFlipScore.ts'
import { readListingText } from '../usecases/readListing.ts'
import { searchListingsText } from '../usecases/searchListings.ts'
import { suggestBroader } from '../usecases/suggestBroader.ts'
import { fieldsText, pageText } from './texts.ts'

/** One row of the table: an operation of the contract, in words for agents. */
export interface Tool extends ToolChanges {
  name: string
  title: string
  description: string
  operationId: OperationId
  /** What to do when nothing has that name. */
  ifNotFound: string
  /** @returns the answer of the operation, a short text made from it, and how long they hold where that is known. @throws ApiError as the use-case does. */
  call(
    deps: Deps,
    input: never,
    caller: Caller,
  ): Promise<{ answer: object; text: string; validity?: CacheValidity }>
}

/** The parts of the score need Pro, at the REST endpoint; the score itself is on every page of a lot. */
const OF_THE_SCORE_ENDPOINT = ['factors', 'resale_margin_cents']

/** The tools, in the order in which they are listed. */
export const TOOLS: Tool[] = [
  {
    name: 'search_listings',
    title: 'Search live surplus auctions',
    description:
      'Use this to find US government surplus auction lots that are open for bids now; not for what past lots sold for (sold_comps), nor for a lot you already have (get_listing). ' +
      'All filters must hold together, so send only those that matter. price_min and price_max are US dollars; every *_cents field of the answer is US cents. ' +
      'Show bidprowl_url or source_url with every lot; bids are placed at source_url. ' +
      'Next: sold_comps with the category and state of a lot for usual prices, flip_score for how good a deal it is, page for more lots.',
    operationId: 'searchListings',
    defaults: { per_page: 10 },
    ifNotFound: '',
    call: async (deps, input: Input<'searchListings'>, caller) => {
      const found = await searchListingsText(deps, input, caller)
      const answer = found.value()
      const broader = answer.total === 0 ? await suggestBroader(deps, input, caller).catch(noAdvice) : []
      const validity = answer.total === 0 ? undefined : found.validity
      return { answer, text: pageText(answer, input, broader), validity }
    },
  },
  {
    name: 'get_listing',
    title: 'Read one auction lot',
    description:
      'Use this to read one lot by its id or slug, for instance to see its current bid and status before you recommend it; not to look for lots (search_listings). ' +
      'Lots that have ended stay readable; status tells how they ended. ' +
      'Show bidprowl_url or source_url with the lot. Next: flip_score for how good a deal it is, sold_comps for what such lots sold for.',
    operationId: 'getListing',
    ifNotFound: 'Call search_listings to find lots and their ids.',
    call: async (deps, { id }: Input<'getListing'>, caller) => {
      const { value, ...validity } = await readListingText(deps, id, caller)
      const answer = { data: JSON.parse(value) as Listing }
      return { answer, text: fieldsText(answer.data), validity }
    },
  },
  {
    name: 'sold_comps',
    title: 'Read what comparable lots sold for',
    description:
      'Use this for what lots sold for in the last 365 days, to judge a price; not for lots that are open for bids (search_listings). ' +
      'Send exactly one of: category and/or state (free), item, or listing_id (the last two need a Pro key). ' +
      "listing_id adds percentiles, the most similar sales and the resale margin of that lot. Amounts are US cents, without buyer's premium. " +
      'Aggregates may be cited under CC BY 4.0. Next: compare median_cents with the current bid, or flip_score for a ready judgement.',
    operationId: 'getComps',
    ifNotFound: 'Widen the request: category alone, or state alone.',
    call: async (deps, input: Input<'getComps'>, caller) => {
      const answer = { data: await readComps(deps, input, caller) }
      return { answer, text: fieldsText(answer.data) }
    },
  },
  {
    name: 'flip_score',
    title: 'Read the deal score of a lot',
    description:
      'Use this for the deal score of one lot by its id or slug: 0 (expensive) to 100 (cheap), from its price against what similar lots sold for; not to search (search_listings can sort by best_deals). ' +
      'It gives the score that the page of the lot shows; the factors behind it are on the REST endpoint /api/v1/flip-score/{id}, with a Pro key. ' +
      'Next: sold_comps for the prices behind it, get_listing for the link to bid.',
    operationId: 'getFlipScore',
    omitted: OF_THE_SCORE_ENDPOINT,
    ifNotFound: 'Call get_listing to see the lot, or sold_comps with its category for usual prices.',
    call: async (deps, { id }: Input<'getFlipScore'>, caller) => {
      const answer = { data: withoutFactors(await readFlipScore(deps, id, caller)) }
      return { answer, text: fieldsText(answer.data) }
    },
  },
]

function withoutFactors(score: Schemas['FlipScore']): Partial<Schemas['FlipScore']> {
  return Object.fromEntries(Object.entries(score).filter(([name]) => !OF_THE_SCORE_ENDPOINT.includes(name)))
}

/** The search itself was answered, so a database that is away or slow now costs only the advice. */
function noAdvice(error: ApiError): [] {
  if (error.status === 503) return []
  throw error
}
