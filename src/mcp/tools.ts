import type { Parameter } from '../contract/document.ts'
import { includes } from '../contract/plans.ts'
import type { ToolChanges } from '../contract/toolSchemas.ts'
import type { Input, Listing, OperationId } from '../contract/types.ts'
import type { Caller } from '../domain/caller.ts'
import { invalidRequest } from '../domain/errors.ts'
import { truncated } from '../domain/feeds/plainText.ts'
import { printable } from '../domain/format.ts'
import { biddingMove } from '../domain/listingWords.ts'
import { getComps } from '../handlers/getComps.ts'
import { readScore } from '../handlers/getFlipScore.ts'
import { lotOfLink, readListingWithBids } from '../handlers/getListing.ts'
import { searchListings } from '../handlers/searchListings.ts'
import type { Deps } from '../usecases/deps.ts'
import {
  aboutSource,
  findFewerWords,
  nullWhileUnavailable,
  suggestBroader,
} from '../usecases/suggestSearches.ts'
import { knownAppraisal, readKnownAppraisals } from '../usecases/valuation/readAppraisal.ts'
import {
  aboutText,
  compsText,
  emptyText,
  pageText,
  shortComps,
  type Values,
  verdictText,
  worthText,
} from './texts.ts'

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

/** What the lots of the other tools carry for these callers. */
const OF_THE_VALUE = { estimated_value_cents: 'integer', max_bid_cents: 'integer' } as const

/** What no agent asked for: pictures, and names that only repeat a key. */
const FOR_PAGES = ['image_url', 'source_name'] as const

const LOT_ID = {
  id: { description: 'The id (UUID), slug, bidprowl_url or source_url of the lot.' },
}

/** A parameter that only the tool has. */
function option(name: string, description: string, schema: Parameter['schema']): Parameter {
  return {
    name,
    in: 'query',
    isRequired: false,
    description,
    schema,
    example: null,
    plan: null,
    isAlone: false,
  }
}

const DETAIL = option('detail', '`short`: what decides a bid; `long`: every field, and ten sales.', {
  type: 'string',
  enum: ['short', 'long'],
  default: 'short',
})

const FIELDS = option('fields', 'Only these fields of lots, by commas.', {
  type: 'string',
  description: 'names of fields, separated by commas',
  pattern: '^[a-z_, ]+$',
})

/** The fields of a lot that the output schema requires. */
const REQUIRED = 'id title category source num_bids bidprowl_url source_url offer_kind'.split(' ')

/** What no agent needs of the lots of a search: each is live, its title names the vehicle, and get_listing has the rest. */
const NOT_IN_SEARCH = [
  ...[...FOR_PAGES, 'missing', 'zip', 'start_date', 'status', 'observed_at', 'item'],
  ...['vehicle_year', 'vehicle_make', 'vehicle_model', 'also_listed_as', 'appraised'],
]

/** The names in `fields`; null without it. @throws ApiError invalid_request for a field that the lots of a search do not have. */
function namesIn(fields: string | undefined, { listingColumns }: Deps): string[] | null {
  const known = [...listingColumns, ...Object.keys(OF_THE_VALUE)].filter(
    name => !NOT_IN_SEARCH.includes(name),
  )
  const names = fields?.split(',').map(name => name.trim()) ?? []
  const unknown = names.find(name => !known.includes(name))
  if (unknown !== undefined)
    throw invalidRequest(`"fields" has no "${printable(unknown, 40)}". It takes ${known.join(', ')}.`)
  return fields === undefined ? null : names
}

/** A description is cut here: its standard clauses come last. */
const DESCRIPTION_SHOWN = 1_000

/** A text on one line, written on several. */
function sentences(text: string): string {
  return text.trim().replace(/\s+/g, ' ')
}

function isPro({ key }: Caller): boolean {
  return key !== null && includes(key.plan, 'pro')
}

/** The appraisals of lots, by their ids, for callers whose plan has them; empty for others. */
async function valuesOf(deps: Deps, lots: readonly Listing[], caller: Caller): Promise<Values> {
  if (!isPro(caller) || lots.length === 0) return new Map()
  const ids = lots.map(({ id }) => id)
  return readKnownAppraisals(deps, ids, caller)
}

/** A lot with its exact value in place of the approximate one, where the caller may know it. */
function withValue<T extends Listing>(lot: T, values: Values): object {
  const value = values.get(lot.id)
  if (!value) return lot
  const { estimated_value_cents, max_bid_cents } = value
  return { ...lot, approximate_value_cents: null, estimated_value_cents, max_bid_cents }
}

function only(names: string[], lot: object): object {
  return Object.fromEntries(Object.entries(lot).filter(([name]) => names.includes(name)))
}

const ANYWHERE_MILES = 13_000

/** The lot that a search by ZIP code would find first without its radius; null for none, and for a search without a ZIP code. */
async function nearestLot(deps: Deps, input: Input<'searchListings'>, caller: Caller) {
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
      Use this to find US government surplus auction lots that are open for bids now; not for what past
      lots sold for (sold_comps), nor for a lot you already have (get_listing). All filters must hold
      together, so send only those that matter. Each lot says about what it sells for and how well that
      is known; with a Pro key also the value and the highest bid to make, so comparing needs no other
      call. No key needed. *_cents are US cents; null is left out. Show bidprowl_url or source_url with
      every lot; bids are placed at source_url, by a person. Next: flip_score for why a lot is a good
      deal, page for more.
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
    more: [FIELDS],
    omitted: NOT_IN_SEARCH,
    added: OF_THE_VALUE,
    call: async (deps, { fields, ...input }: Input<'searchListings'> & { fields?: string }, caller) => {
      const names = namesIn(fields, deps)
      const found = await searchListings(deps, input, caller)
      const answer = found.value()
      if (answer.total > 0) {
        const values = await valuesOf(deps, answer.data, caller)
        const whole = answer.data.map(lot => withValue(lot, values))
        const data = names ? whole.map(lot => only([...REQUIRED, ...names], lot)) : whole
        return {
          answer: { ...answer, data },
          text: pageText({ ...answer, data: whole as Listing[] }, input, values, names),
        }
      }
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
      Use this to read one lot whose name or link you have, to see its current bid, status and
      description; not to look for lots (search_listings). Lots that have
      ended stay readable; status tells how they ended. Prices are as of observed_at; bidding says how the bid
      moved in the last 24 h, worth what it sells for and how well that is known, with a Pro key also what to
      bid. No key needed. Next: flip_score for how good a deal it is, sold_comps with a Pro key for the sales
      behind its value.
    `),
    ifNotFound: 'Call search_listings to find lots and their ids.',
    operationId: 'getListing',
    parameters: LOT_ID,
    omitted: [...FOR_PAGES, 'distance_miles', 'appraised'],
    added: { ...OF_THE_VALUE, worth: 'string', bidding: 'string' },
    call: async (deps, { id }: Input<'getListing'>, caller) => {
      const read = await readListingWithBids(deps, await lotOfLink(deps, id, caller), caller)
      const { description, bids, sale: _, ...lot } = read.value
      const bidding = lot.status === 'live' ? biddingMove(bids, read.now_ms) : null
      const values = await valuesOf(deps, [lot], caller)
      const value = values.get(lot.id)
      const worth = value ? worthText(value, value.known) : aboutText(lot)
      const shown = description && truncated(description, DESCRIPTION_SHOWN)
      return { answer: { data: { ...withValue(lot, values), worth, description: shown, bidding } } }
    },
  },
  {
    name: 'sold_comps',
    title: 'Read what comparable lots sold for',
    description: sentences(`
      Use this for what lots sold for in the last 365 days, or what a thing is worth; not for lots that are open
      for bids (search_listings). Send exactly one of: category and/or state (free); with a Pro key item (state
      may narrow it), listing_id, or q with the title of any thing, also one that no lot has. listing_id and q
      add the most similar sales and an appraisal: value, likely band, grade (comparables; few: rough; words: a
      guess), highest bid to make. Single past sales are on the REST endpoint /api/v1/sales. Amounts are US
      cents, without buyer's premium. Next: compare with the current bid.
    `),
    ifNotFound: 'Widen the request: category alone, or state alone. surplus://items has every item.',
    operationId: 'getComps',
    parameters: {
      item: {
        description: 'Plan: Pro. The slug of a tracked item: the resource surplus://items has them all.',
      },
    },
    more: [DETAIL],
    // Sales cover the trailing 365 days.
    omitted: ['window_start', 'window_end', 'projection_basis'],
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
      with sentences: score, verdict, price and why; with a Pro key also the value, its likely band and the
      highest bid to make. A lot without a price, or whose value is a guess from words, has no score. No key
      needed. Next: sold_comps for the prices behind it.
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
      const value = knownAppraisal(read.appraisal)
      const judged = verdictText(listing, score, value, deps.now() ?? new Date())
      if (!isPro(caller)) return { answer: { data: { ...score, verdict: judged } }, text: judged }
      const verdict = `${judged} ${worthText(value, value.known)}`
      const shown = Object.fromEntries(OF_THE_APPRAISAL.map(name => [name, value[name]]))
      return { answer: { data: { ...score, verdict, ...shown } }, text: verdict }
    },
  },
]
