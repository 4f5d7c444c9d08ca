import words from '../../data/tools.json' with { type: 'json' }
import { includes } from '../contract/plans.ts'
import type { ToolChanges } from '../contract/toolSchemas.ts'
import type { Input, OperationId } from '../contract/types.ts'
import type { Caller } from '../domain/caller.ts'
import { truncated } from '../domain/feeds/plainText.ts'
import { getComps } from '../handlers/getComps.ts'
import { readScore } from '../handlers/getFlipScore.ts'
import { searchListings } from '../handlers/searchListings.ts'
import type { Deps } from '../usecases/deps.ts'
import { findFewerWords, nullWhileUnavailable, suggestBroader } from '../usecases/emptySearch.ts'
import { lotOfLink, readListingWithBids } from '../usecases/oneLot.ts'
import { appraisalOf } from '../usecases/valuation/readAppraisal.ts'
import { biddingText, emptyText, pageText, verdictText } from './texts.ts'

/** One row of the table: an operation of the contract, in words for agents (`data/tools.json`). */
export interface Tool extends ToolChanges {
  name: string
  title: string
  description: string
  operationId: OperationId
  /** What to do when nothing has that name. */
  ifNotFound: string
  /**
   * @returns the answer of the operation, and a short text; without one, the text is the fields of the answer.
   * @throws ApiError as the use-case does.
   */
  call(deps: Deps, input: never, caller: Caller): Promise<{ answer: object; text?: string }>
}

/** The parts of the score need Pro, at the REST endpoint, which also names its versions; the score itself is on every page of a lot. */
const OF_THE_SCORE_ENDPOINT = ['factors', 'resale_margin_cents', 'score_version', 'estimated_at'] as const

/** What flip_score adds for callers whose plan has appraisals. */
const OF_THE_APPRAISAL = [
  'estimated_value_cents',
  'likely_low_cents',
  'likely_high_cents',
  'max_bid_cents',
] as const

/** What no agent asked for: pictures, and names that only repeat a key. */
const FOR_PAGES = ['image_url', 'source_name'] as const

const LOT_ID = {
  id: { description: 'The id (UUID), slug, bidprowl_url or source_url of the lot.' },
}

/** A description is cut here: its standard clauses come last. */
const DESCRIPTION_SHOWN = 1_000

/** The tools, in the order in which they are listed. */
export const TOOLS: Tool[] = [
  {
    name: 'search_listings',
    ...words.search_listings,
    operationId: 'searchListings',
    parameters: {
      sort: {
        description:
          'The order; without it, the best match first if there is a `q`, else `ending_soon`. `nearest` needs a `zip`.',
      },
      per_page: { default: 10 },
    },
    // Every lot found is live, its title names the vehicle, and get_listing has the rest.
    omitted: [
      ...FOR_PAGES,
      'zip',
      'start_date',
      'status',
      'vehicle_year',
      'vehicle_make',
      'vehicle_model',
      'also_listed_as',
      'appraised',
    ],
    call: async (deps, input: Input<'searchListings'>, caller) => {
      const found = await searchListings(deps, input, caller)
      const answer = found.value()
      if (answer.total > 0) return { answer, text: pageText(answer, input) }
      const shorter = await findFewerWords(deps, input, caller).catch(nullWhileUnavailable)
      const broader = await suggestBroader(deps, input, caller).catch(nullWhileUnavailable)
      return { answer, text: emptyText(input, broader ?? [], shorter, found.related) }
    },
  },
  {
    name: 'get_listing',
    ...words.get_listing,
    operationId: 'getListing',
    parameters: LOT_ID,
    omitted: [...FOR_PAGES, 'distance_miles'],
    added: { bidding: 'string' },
    call: async (deps, { id }: Input<'getListing'>, caller) => {
      const read = await readListingWithBids(deps, await lotOfLink(deps, id, caller), caller)
      const { description, bids, ...lot } = read.value
      const bidding = lot.status === 'live' ? biddingText(bids, read.now_ms) : null
      const data = { ...lot, description: description && truncated(description, DESCRIPTION_SHOWN), bidding }
      return { answer: { data } }
    },
  },
  {
    name: 'sold_comps',
    ...words.sold_comps,
    operationId: 'getComps',
    omitted: FOR_PAGES,
    call: async (deps, input: Input<'getComps'>, caller) => ({
      answer: await getComps(deps, input, caller),
    }),
  },
  {
    name: 'flip_score',
    ...words.flip_score,
    operationId: 'getFlipScore',
    parameters: LOT_ID,
    omitted: OF_THE_SCORE_ENDPOINT,
    added: {
      verdict: 'string',
      ...Object.fromEntries(OF_THE_APPRAISAL.map(name => [name, 'integer'] as const)),
    },
    call: async (deps, { id }: Input<'getFlipScore'>, caller) => {
      const read = await readScore(deps, await lotOfLink(deps, id, caller), caller)
      const { listing, score } = read
      const isPro = caller.key !== null && includes(caller.key.plan, 'pro')
      const worth = isPro ? appraisalOf(read.appraisal) : null
      const verdict = verdictText(score.flip_score, listing, worth)
      const shown = worth && Object.fromEntries(OF_THE_APPRAISAL.map(name => [name, worth[name]]))
      return { answer: { data: { ...score, verdict, ...shown } }, text: verdict }
    },
  },
]
