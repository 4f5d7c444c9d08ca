import type { Parameter } from '../contract/document.ts'
import { includes } from '../contract/plans.ts'
import type { ToolChanges } from '../contract/toolSchemas.ts'
import type { Input, Listing, OperationId } from '../contract/types.ts'
import type { Caller } from '../domain/caller.ts'
import { truncated } from '../domain/feeds/plainText.ts'
import { getComps } from '../handlers/getComps.ts'
import { readScore } from '../handlers/getFlipScore.ts'
import { searchListings } from '../handlers/searchListings.ts'
import type { Deps } from '../usecases/deps.ts'
import { lotOfLink, readListingWithBids } from '../usecases/readLot.ts'
import {
  aboutSource,
  findFewerWords,
  nullWhileUnavailable,
  suggestBroader,
} from '../usecases/suggestSearches.ts'
import { appraisalOf } from '../usecases/valuation/readAppraisal.ts'
import { biddingText, compsText, emptyText, pageText, shortComps, verdictText } from './texts.ts'

/** One row of the table: an operation of the contract, in words for agents. */
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

const DETAIL: Parameter = {
  name: 'detail',
  in: 'query',
  isRequired: false,
  description: '`short`: what decides a bid; `long`: every field, and ten sales.',
  schema: { type: 'string', enum: ['short', 'long'], default: 'short' },
  example: 'short',
  plan: null,
}

/** A description is cut here: its standard clauses come last. */
const DESCRIPTION_SHOWN = 1_000

/** A text on one line, written on several. */
function sentences(text: string): string {
  return text.trim().replace(/\s+/g, ' ')
}

const ANYWHERE_MILES = 13_000

/** The lot that a search by ZIP code would find first without its radius; null for none, and for a search without a ZIP code. */
async function nearestLot(
  deps: Deps,
  input: Input<'searchListings'>,
  caller: Caller,
): Promise<Listing | null> {
  if (input.zip === undefined) return null
  const anywhere = { ...input, radius_miles: ANYWHERE_MILES, sort: 'nearest', page: 1, per_page: 1 } as const
  const found = await searchListings(deps, anywhere, caller).catch(nullWhileUnavailable)
  return found?.value().data[0] ?? null
}

/** The tools, in the order in which they are listed. */
export const TOOLS: Tool[] = [
  {
    name: 'search_listings',
    title: 'Search live surplus auctions',
    description: sentences(`
      Use this to find US government surplus auction lots that are open for bids now; not for what past lots
      sold for (sold_comps), nor for a lot you already have (get_listing). All filters must hold together, so
      send only those that matter. Returns one page and the exact total; where nothing matches, the text says
      what does. Read-only, no key needed. price_min and price_max are US dollars; *_cents are US cents;
      unknown fields are left out. Show bidprowl_url or source_url with every lot; bids are placed at
      source_url, by a person. Next: flip_score for how good a deal a lot is, sold_comps for usual prices, page
      for more lots.
    `),
    ifNotFound: '',
    operationId: 'searchListings',
    parameters: {
      sort: {
        description:
          'The order; without it, the best match first if there is a `q`, else `ending_soon`. `nearest` needs a `zip`.',
      },
      source: {
        description: 'Only lots of this source, by its key: the resource surplus://sources has them all.',
      },
      per_page: { default: 10 },
    },
    // Every lot found is live, its title names the vehicle, and get_listing has the rest.
    omitted: [
      ...FOR_PAGES,
      ...'zip start_date status vehicle_year vehicle_make vehicle_model also_listed_as appraised'.split(' '),
    ],
    call: async (deps, input: Input<'searchListings'>, caller) => {
      const found = await searchListings(deps, input, caller)
      const answer = found.value()
      if (answer.total > 0) return { answer, text: pageText(answer, input) }
      const shorter = await findFewerWords(deps, input, caller).catch(nullWhileUnavailable)
      const broader = await suggestBroader(deps, input, caller).catch(nullWhileUnavailable)
      const nearest = await nearestLot(deps, input, caller)
      const unloaded = await aboutSource(deps, input, caller).catch(nullWhileUnavailable)
      const text = emptyText(input, broader ?? [], shorter, found.related, nearest)
      return { answer, text: unloaded ? `${text} ${unloaded}` : text }
    },
  },
  {
    name: 'get_listing',
    title: 'Read one auction lot',
    description: sentences(`
      Use this to read one lot that you already have a name or link of, for instance to see its current bid,
      status and description before you recommend it; not to look for lots (search_listings). Lots that have
      ended stay readable; status tells how they ended. Prices are as of observed_at; bidding says how the bid
      moved in the last 24 h. Read-only, no key needed. A source_url that several lots share is answered with
      their ids. Show bidprowl_url or source_url with the lot. Next: flip_score for how good a deal it is,
      sold_comps for what such lots sold for.
    `),
    ifNotFound: 'Call search_listings to find lots and their ids.',
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
    title: 'Read what comparable lots sold for',
    description: sentences(`
      Use this for what lots sold for in the last 365 days, or what a thing is worth; not for lots that are open
      for bids (search_listings). Send exactly one of: category and/or state (free); with a Pro key item (state
      may narrow it), listing_id, or q with the title of any thing, also one that no lot has. listing_id and q
      add the most similar sales and an appraisal: value, likely band, highest bid to make; detail long also
      percentiles, margin, projected close and ten sales instead of three. Read-only. Amounts are US cents, without buyer's premium; unknown fields are left out. Aggregates
      may be cited under CC BY 4.0. Next: compare with the current bid, or flip_score for a ready judgement.
    `),
    ifNotFound: 'Widen the request: category alone, or state alone. surplus://items has every item.',
    operationId: 'getComps',
    parameters: {
      item: {
        description: 'Plan: Pro. The slug of a tracked item: the resource surplus://items has them all.',
      },
    },
    more: [DETAIL],
    omitted: FOR_PAGES,
    call: async (deps, { detail, ...input }: Input<'getComps'> & { detail: string }, caller) => {
      const answer = await getComps(deps, input, caller)
      if (detail === 'long') return { answer }
      return { answer: shortComps(answer), text: compsText(answer.data) }
    },
  },
  {
    name: 'flip_score',
    title: 'Read the deal score of a lot',
    description: sentences(`
      Use this for how good a deal one lot is now, 0 (expensive) to 100 (cheap), from its price against what
      similar lots sold for; not to search (search_listings has min_flip_score and sort best_deals). It answers
      with a sentence: verdict, score and price; with a Pro key also the value, its likely band and the highest
      bid to make. A lot without a price has no score. Read-only, no key needed. The factors are on the REST
      endpoint /api/v1/flip-score/{id}. Next: sold_comps for the prices behind it, get_listing for the link to
      bid.
    `),
    ifNotFound:
      'Call get_listing to see the lot, or sold_comps with its category, or with a Pro key its listing_id, for its value.',
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
