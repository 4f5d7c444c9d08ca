import labels from '../../data/labels.json' with { type: 'json' }
import type { Parameter } from '../contract/document.ts'
import { invalidRequest } from '../contract/errors.ts'
import { requirementOf } from '../contract/parameterFaults.ts'
import { includes } from '../contract/plans.ts'
import type { ToolChanges } from '../contract/toolSchemas.ts'
import type { Input, Listing, OperationId } from '../contract/types.ts'
import { BUYER_PARAMETERS } from '../domain/appraisal/buyerCosts.ts'
import type { Caller } from '../domain/caller.ts'
import { conditionSentences } from '../domain/feeds/bidConditions.ts'
import { truncated } from '../domain/feeds/plainText.ts'
import { changeInWords } from '../domain/feeds/publisherChange.ts'
import { isDemo, isOver } from '../domain/listingState.ts'
import { placeAt } from '../domain/search/readPlace.ts'
import { trackedItemOf } from '../domain/titles/items.ts'
import { getComps } from '../handlers/getComps.ts'
import { readScore } from '../handlers/getFlipScore.ts'
import { getListing } from '../handlers/getListing.ts'
import { searchListings } from '../handlers/searchListings.ts'
import { findCities, findZip } from '../infra/places/zipTables.ts'
import { readAuctionSizes } from '../site/auctionTrip.ts'
import type { Deps } from '../usecases/deps.ts'
import {
  BETWEEN_NAMES,
  lotOfLink,
  readListingWithBids,
} from '../usecases/namedLots.ts'
import {
  aboutSource,
  nullWhileUnavailable,
  suggestBroader,
} from '../usecases/suggestSearches.ts'
import {
  knownAppraisal,
  readKnownAppraisals,
} from '../usecases/valuation/readAppraisal.ts'
import { closesAt } from '../words/closing.ts'
import { biddingMove } from '../words/listingWords.ts'
import {
  aboutText,
  appraisalText,
  compsText,
  emptyText,
  pageText,
  shortComps,
  shortTitles,
  titlesText,
  unadvised,
  type Values,
  verdictText,
} from './texts.ts'

/** One row of the table: an operation of the contract, in words for agents. */
export interface Tool extends ToolChanges {
  name: string
  title: string
  description: string
  operationId: OperationId
  /** Whether hosts can show its lots as a card. */
  hasCard?: true
  /** What to do when nothing has that name. */
  ifNotFound: string
  /**
   * @returns the answer of the operation, and a short text; without one, the
   * text is the fields of the answer. `omitted` are the properties that are
   * left out of it, where they are others than the tool says.
   * @throws ApiError as the use-case does.
   */
  call(
    deps: Deps,
    input: never,
    caller: Caller,
  ): Promise<{ answer: object; text?: string; omitted?: readonly string[] }>
}

/**
 * The parts of the score need Pro, at the REST endpoint, which also names its
 * versions; the score itself is on every page of a lot.
 */
const OF_THE_SCORE_ENDPOINT = [
  'factors',
  'resale_margin_cents',
  'score_version',
  'estimated_at',
] as const

/** What flip_score adds for callers whose plan has appraisals. */
const OF_THE_APPRAISAL = [
  'estimated_value_cents',
  'likely_low_cents',
  'likely_high_cents',
  'max_bid_cents',
] as const

/**
 * What the lots of the other tools carry: for these callers their value, and
 * where only a day is published, when on it they close.
 */
const OF_THE_VALUE = [
  'estimated_value_cents',
  'max_bid_cents',
  'closes',
] as const

/** What the card shows of a lot beside its score. */
const OF_THE_CARD = [
  'city',
  'state',
  'current_bid_cents',
  'starting_bid_cents',
  'next_bid_cents',
  'end_date',
  'closes',
  'approximate_value_cents',
  'limit_cents',
]

/** What no agent asked for: pictures, and names that only repeat a key. */
const FOR_PAGES = ['image_url', 'source_name'] as const

const LOT_ID = {
  id: {
    description: 'The id (UUID), slug, bidprowl_url or source_url of the lot.',
  },
}

/** Clients that check arguments themselves let a name pass. */
const STATE = {
  pattern: '^[A-Za-z. ]+$',
  description:
    'Only lots in this one US state or territory, by name or two letters.',
}

/** A parameter that only the tool has. */
function option(
  name: string,
  description: string,
  schema: Parameter['schema'],
): Parameter {
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

const DETAIL = option(
  'detail',
  '`short`: what decides a bid; `long`: every field, and ten sales.',
  {
    type: 'string',
    enum: ['short', 'long'],
    default: 'short',
  },
)

const BUYER = option(
  'buyer',
  'Plan: Pro. With listing_id, what buying costs you, for your_costs: buyer_zip, cost_per_mile (dollars), tax_percent, surcharge_percent, resale_cost_percent, margin_percent, fixed_cost_cents.',
  {
    type: 'object',
    description:
      'an object, such as {"buyer_zip": "60601", "cost_per_mile": 1.5}',
  },
)

const FIELDS = option('fields', 'Only these fields of lots, by commas.', {
  type: 'string',
  description: 'names of fields, separated by commas',
  pattern: '^[^,]+(,[^,]+)*$',
})

const PLACE = option(
  'place',
  'A town with its state, in place of `zip`: "Dallas, TX".',
  {
    type: 'string',
    minLength: 1,
    maxLength: 60,
  },
)

/** The fields of a lot that the output schema requires. */
const REQUIRED = 'id title category source num_bids bidprowl_url'.split(' ')

/**
 * What no agent needs of the lots of a search: the title names the vehicle, and
 * get_listing has the rest.
 */
const NOT_IN_SEARCH = [
  ...FOR_PAGES,
  'zip',
  'start_date',
  'observed_at',
  'item',
  'bid_increment_cents',
  'auction_id',
  'vehicle_year',
  'vehicle_make',
  'vehicle_model',
  'also_listed_as',
  'appraised',
  'bid_conditions',
  'value_note',
  'reserve_met',
]

/**
 * What the lots of a search are as a rule; then it is left out, as is the
 * `source_url` of a demo lot, which is its own.
 */
const USUAL: Record<string, unknown> = {
  status: 'live',
  offer_kind: 'auction',
  end_precision: 'second',
  quantity: 1,
  value_grade: 'comparables',
  buyers_premium_percent: 0,
}

/**
 * The fields of a lot that a search gives, null where they are as usual.
 * @param names those that the agent asked for; null: what decides a bid.
 */
function shownOf(
  lot: Listing & Record<string, unknown>,
  names: string[] | null,
) {
  if (names) {
    const kept = [
      ...REQUIRED,
      ...(lot.status === 'live' ? [] : ['status']),
      ...names,
    ]
    return Object.fromEntries(
      Object.entries(lot).filter(([name]) => kept.includes(name)),
    )
  }
  const usual = isDemo(lot) ? { ...USUAL, source_url: lot.source_url } : USUAL
  const same = Object.keys(usual).filter(name => lot[name] === usual[name])
  return { ...lot, ...Object.fromEntries(same.map(name => [name, null])) }
}

/**
 * The names in `fields`; null without it.
 * @throws ApiError invalid_request for one that no lot has, with the nearest.
 */
function namesIn(fields: string | undefined, { listingColumns }: Deps) {
  if (fields === undefined) return null
  const known = [...listingColumns, ...OF_THE_VALUE]
  const names = fields.split(',').map(name => name.trim())
  const unknown = names.find(name => !known.includes(name))
  if (unknown !== undefined)
    throw invalidRequest(
      requirementOf({ ...FIELDS, schema: { enum: known } }, unknown),
    )
  return names
}

/** A description is cut here: its standard clauses come last. */
const DESCRIPTION_SHOWN = 1_000

/** What `data/labels.json` says of a tool. */
function wordsOf(name: keyof typeof labels.agents.tools) {
  const words = labels.agents.tools[name]
  return { ...words, name, description: words.description.join(' ') }
}

function isPro({ key }: Caller) {
  return key !== null && includes(key.plan, 'pro')
}

/**
 * The appraisals of lots, by their ids, for callers whose plan has them; empty
 * for others.
 */
async function valuesOf(
  deps: Deps,
  lots: readonly Listing[],
  caller: Caller,
): Promise<Values> {
  if (!isPro(caller) || lots.length === 0) return new Map()
  return readKnownAppraisals(
    deps,
    lots.map(({ id }) => id),
    caller,
  )
}

/**
 * A lot with the words for its closing day and its exact value, where the
 * caller may know it.
 * @param keep also its approximate value.
 */
function withValue<T extends Listing>(
  listing: T,
  values: Values,
  keep = false,
) {
  const closes =
    listing.end_precision === 'day' ? closesAt(listing, 'UTC') : null
  const lot = { ...listing, closes }
  const value = values.get(lot.id)
  if (!value) return lot
  const { estimated_value_cents, max_bid_cents } = value
  const approximate_value_cents = keep ? lot.approximate_value_cents : null
  return {
    ...lot,
    approximate_value_cents,
    estimated_value_cents,
    max_bid_cents,
  }
}

const ANYWHERE_MILES = 13_000

/**
 * The lot that a search by ZIP code would find first without its radius; null
 * for none, and for a search without a ZIP code.
 */
async function nearestLot(
  deps: Deps,
  input: Input<'searchListings'>,
  caller: Caller,
) {
  if (input.zip === undefined) return null
  const anywhere = {
    ...input,
    radius_miles: ANYWHERE_MILES,
    sort: 'nearest',
    page: 1,
    per_page: 1,
  } as const
  const found = await searchListings(deps, anywhere, caller).catch(
    nullWhileUnavailable,
  )
  return found?.value().data[0] ?? null
}

/**
 * @throws ApiError invalid_request for a place that nobody knows or that
 * several states have.
 */
function zipOf(place: string) {
  const { zip = '' } =
    placeAt(place.trim(), { findCities, findZip })?.filters ?? {}
  if (findZip(zip)) return zip
  throw invalidRequest(
    '"place" must be one US city with its state, such as "Dallas, TX", or a ZIP code.',
  )
}

/**
 * Links of lots as ids and slugs; those of no lot stay, to be named as missing.
 * @throws ApiError invalid_request as `lotOfLink` does.
 */
async function idsOf(deps: Deps, named: string, caller: Caller) {
  const ids = []
  // One after another, so that a call takes one place in the queue of the
  // database.
  for (const name of named.split(BETWEEN_NAMES)) {
    const id = await lotOfLink(deps, name, caller).catch(error => {
      if (!error.isUnknownLot) throw error
    })
    ids.push(id ?? name)
  }
  return ids.join()
}

type SearchInput = Input<'searchListings'> & { fields?: string; place?: string }

/** The tools, in the order in which they are listed. */
export const TOOLS: Tool[] = [
  {
    ...wordsOf('search_listings'),
    operationId: 'searchListings',
    hasCard: true,
    parameters: {
      state: STATE,
      sort: {
        description:
          'The order; without it, the best match first if there is a `q`, else `ending_soon`. `nearest` needs a `zip`.',
      },
      source: {
        description:
          'Only lots of this source, by its key: the resource surplus://sources has them all.',
      },
      ends_before: {
        pattern: '\\S',
        description:
          'Only lots that end before this day (UTC) or time: `2026-12-01T18:00-05:00`.',
      },
      auction: { description: 'Only lots of this `auction_id`.' },
      ids: {
        description:
          'Exactly these lots, in this order, by id, slug, bidprowl_url or source_url.',
      },
      group: {
        description:
          '`sale`, as with `q`: one of the lots alike in one sale; `twins` counts the others. `none`: all.',
      },
      per_page: { default: 10 },
    },
    more: [FIELDS, PLACE],
    omitted: NOT_IN_SEARCH,
    optional: [...Object.keys(USUAL), 'source_url'],
    added: OF_THE_VALUE,
    call: async (deps, { fields, place, ...input }: SearchInput, caller) => {
      const names = namesIn(fields, deps)
      if (place) input.zip ??= zipOf(place)
      // Without words all live lots would be compared, for each agent that
      // looks around.
      if (input.q) input.group ??= 'sale'
      if (input.ids) input.ids = await idsOf(deps, input.ids, caller)
      const found = await searchListings(deps, input, caller)
      const answer = found.value()
      if (!answer.twins?.some(Boolean)) answer.twins = null
      if (answer.total > 0 || answer.missing) {
        const [values, auctions] = await Promise.all([
          valuesOf(deps, answer.data, caller),
          readAuctionSizes(deps, answer.data, caller),
        ])
        const whole = answer.data.map(lot =>
          withValue(lot, values, names !== null),
        )
        return {
          answer: { ...answer, data: whole.map(lot => shownOf(lot, names)) },
          text: pageText(
            { ...answer, data: whole },
            input,
            values,
            names,
            auctions,
          ),
          omitted: names ? [] : NOT_IN_SEARCH,
        }
      }
      const broader = await suggestBroader(deps, input, caller).catch(
        nullWhileUnavailable,
      )
      const nearest = await nearestLot(deps, input, caller)
      const unloaded = await aboutSource(deps, input, caller).catch(
        nullWhileUnavailable,
      )
      const text = emptyText(input, broader ?? [], answer.suggestion, nearest)
      return { answer, text: unloaded ? `${text} ${unloaded}` : text }
    },
  },
  {
    ...wordsOf('get_listing'),
    operationId: 'getListing',
    hasCard: true,
    parameters: LOT_ID,
    omitted: [
      ...FOR_PAGES,
      'distance_miles',
      'appraised',
      'value_note',
      'publisher_changed_at',
    ],
    added: [
      ...OF_THE_VALUE,
      ...[
        'likely_low_cents',
        'likely_high_cents',
        'worth',
        'bidding',
        'before_bidding',
      ],
    ],
    call: async (deps, { id }: Input<'getListing'>, caller) => {
      const read = await readListingWithBids(
        deps,
        await lotOfLink(deps, id, caller),
        caller,
      )
      const { description, bids, sale: _, ...lot } = read.value
      const bidding =
        lot.status === 'live' ? biddingMove(bids, read.now_ms) : null
      const values = await valuesOf(deps, [lot], caller)
      const value = values.get(lot.id)
      const worth = value
        ? appraisalText(value, value.known, lot)
        : [aboutText(lot), unadvised(lot)].filter(Boolean).join('; ') || null
      const shown = description && truncated(description, DESCRIPTION_SHOWN)
      const change = isOver(lot)
        ? null
        : changeInWords(lot.publisher_changed_at, deps.now())
      const cautions = [
        conditionSentences(lot.bid_conditions),
        change?.isOld && change.words,
      ]
      const before_bidding = cautions.filter(Boolean).join(' ') || null
      const band = value && {
        likely_low_cents: value.likely_low_cents,
        likely_high_cents: value.likely_high_cents,
      }
      const words = { worth, description: shown, bidding, before_bidding }
      return {
        answer: { data: { ...withValue(lot, values), ...band, ...words } },
      }
    },
  },
  {
    ...wordsOf('sold_comps'),
    operationId: 'getComps',
    parameters: {
      listing_id: {
        pattern: '\\S',
        description:
          'Plan: Pro. A lot by id, slug, bidprowl_url or source_url, for the sales most like it.',
      },
      state: STATE,
      item: {
        description:
          'Plan: Pro. The slug of a tracked item: the resource surplus://items has them all.',
      },
    },
    more: [DETAIL, BUYER],
    ofBuyer: BUYER_PARAMETERS,
    // Sales cover the trailing 365 days.
    omitted: ['window_start', 'window_end', 'projection_basis'],
    optional: ['data', 'comparables', 'real'],
    call: async (
      deps,
      { detail, ...input }: Input<'getComps'> & { detail: string },
      caller,
    ) => {
      const { listing_id: named, q, state } = input
      if (named) {
        const id = await lotOfLink(deps, named, caller)
        input.listing_id = (
          await getListing(deps, { id }, caller)
        ).value().data.id
      }
      if (q && state) {
        // Words that name no tracked item are refused with the nearest one.
        input.item = trackedItemOf(q) ?? q
        delete input.q
      }
      const answer = await getComps(deps, input, caller, 'one kind of price')
      const { data, titles } = answer
      // The data of several titles are those of one of them.
      if (titles)
        return {
          answer: detail === 'long' ? { titles } : shortTitles(titles),
          text: titlesText(titles),
        }
      return detail === 'long'
        ? { answer }
        : { answer: shortComps(data), text: compsText(data) }
    },
  },
  {
    ...wordsOf('flip_score'),
    operationId: 'getFlipScore',
    hasCard: true,
    parameters: LOT_ID,
    omitted: OF_THE_SCORE_ENDPOINT,
    added: ['verdict', 'lot', ...OF_THE_APPRAISAL],
    call: async (deps, { id }: Input<'getFlipScore'>, caller) => {
      const read = await readScore(
        deps,
        await lotOfLink(deps, id, caller),
        caller,
      )
      const { listing, score } = read
      const value = isPro(caller) ? knownAppraisal(read.appraisal) : null
      const judged = verdictText(listing, score)
      const lot = shownOf(withValue(listing, new Map()), OF_THE_CARD)
      const verdict = value
        ? `${judged} ${appraisalText(value, value.known, listing)}`
        : judged
      const shown =
        value &&
        Object.fromEntries(OF_THE_APPRAISAL.map(name => [name, value[name]]))
      return {
        answer: { data: { ...score, verdict, ...shown, lot } },
        text: verdict,
      }
    },
  },
]
