import { beforeAll, describe, expect, it } from 'vitest'
import { loadDemo } from '../../src/commands/demo.ts'
import type { OperationId, Schemas } from '../../src/contract/types.ts'
import { createFolderStore } from '../../src/infra/archives/store.ts'
import { openAdminConnection } from '../../src/infra/postgres/database.ts'
import { matchChanges } from '../../src/usecases/alerts/matchChanges.ts'
import { writeArchives } from '../../src/usecases/writeArchives.ts'
import { deliverAt } from '../support/alerts/deliverer.ts'
import { startReceiver } from '../support/alerts/receiver.ts'
import { insertAccount, insertEndpoint, insertSearches } from '../support/alerts/savedSearches.ts'
import { archiveSettings } from '../support/archives/archiveWorld.ts'
import {
  answerOf,
  nullableProperties,
  type ToldObject,
  toldObjects,
} from '../support/contract/toldObjects.ts'
import { DAY, fromNow, insertLots, insertSales, MINUTE, NOW } from '../support/lots/fixtures.ts'
import { temporaryFolder } from '../support/run/shared.ts'
import { serviceFor } from '../support/service/start.ts'
import { PEPPER, PUBLIC_URL } from '../support/service/testSettings.ts'

const folder = temporaryFolder()
const api = serviceFor({ now: NOW, archiveFolder: folder })

/** What is stored of a lot, and of its source. */
type Stored = Record<string, unknown> & {
  bid_conditions: string[]
  like_count: number
  is_open: boolean
  num_bids: number
}

/** An object of an answer, what was asked, and the lot that it is about. */
interface Told extends ToldObject {
  asked: URLSearchParams
  stored: Stored
}

// biome-ignore lint/suspicious/noExplicitAny: the contract says what a value is.
type Row = [property: string, nullWhen: string, isNull: (value: any, told: Told) => boolean]

const NONSENSE = 'zzyzx qwrtplk'
const FIXED_COST_ABOVE_ALL = '1000000000'
const DOLLARS_A_MILE = '1'

/** Whether a source published nothing for a column. */
const unpublished =
  (column: string) =>
  (_: unknown, { stored }: Told) =>
    stored[column] === null
const withoutSearchedWords = ({ total }: { total: number }, { asked }: Told) =>
  !asked.has('q') || total > 0 || asked.get('q') === NONSENSE
const isSealed = ({ stored }: Told) => stored.bid_conditions.includes('sealed_bid')
const underFive = (count: string) => (value: Record<string, number>) => value[count]! < 5
const outer = (told: Told, name: string) => told.within.findLast(one => one.name === name)?.value

/** What sold-price statistics are of. */
function kindOf({ asked }: Told): string {
  if (asked.getAll('titles').every(title => title === NONSENSE) && asked.has('titles'))
    return 'market'
  const [kind] = ['listing_id', 'q', 'titles', 'item'].filter(name => asked.has(name))
  return kind ?? 'market'
}
const unless =
  (...kinds: string[]) =>
  (_: unknown, told: Told) =>
    !kinds.includes(kindOf(told))
const BY_WORDS = ['q', 'titles']

/**
 * Whether there is no highest bid: a note, a guess from words, or a machine with few like sales.
 */
function hasNoLimit({ stored }: Told): boolean {
  const { value_grade, value_note, category, like_count } = stored
  const isFew = category === 'heavy-equipment' && like_count < 5
  return value_note !== null || value_grade === 'words' || isFew
}
/** The same of a title, by its own answer. */
function titleHasNoLimit(grade: string, told: Told): boolean {
  const comparables: Schemas['Comparable'][] = told.within.at(-1)!.value.comparables
  const isFew = comparables.filter(({ similarity }) => similarity >= 0.3).length < 5
  return grade === 'words' || (told.stored.category === 'heavy-equipment' && isFew)
}
const noHighestBid = ({ grade }: { grade: string }, told: Told) =>
  kindOf(told) === 'listing_id' ? hasNoLimit(told) : titleHasNoLimit(grade, told)

/**
 * Whether not even a bid of 0 leaves a margin of 25% after the costs of the buyer and 12% for
 * reselling.
 */
function isTooFar(told: Told): boolean {
  const { appraisal, your_costs } = outer(told, 'Comps')
  const fixed = Number(told.asked.get('fixed_cost_cents') ?? 0)
  return (
    0.88 * appraisal.resale_value_cents < 1.25 * (100 * (your_costs.distance_miles ?? 0) + fixed)
  )
}

const withoutClose = ({ stored }: Told) =>
  stored.value_grade === null ||
  stored.value_grade === 'words' ||
  stored.value_note !== null ||
  stored.offer_kind === 'fixed_price' ||
  stored.bid_conditions.includes('sealed_bid') ||
  stored.approximate_close_cents === null
const notProjected = ({ grade }: { grade: string }, told: Told) =>
  kindOf(told) === 'listing_id' ? withoutClose(told) : grade === 'words'

const hasNoPrice = ({ stored }: Told) =>
  (stored.current_bid_cents ?? stored.starting_bid_cents ?? stored.buy_now_cents) === null

function hasNoChance(told: Told): boolean {
  const { is_open, num_bids, bids_known, no_bid_chance } = told.stored
  return !is_open || num_bids > 0 || !bids_known || isSealed(told) || no_bid_chance === null
}

/** What the live lots of an auction have in a column. */
const inAuction = ({ stored }: Told, column: string) =>
  [...lots.values()]
    .filter(({ auction_id, is_live }) => auction_id === stored.auction_id && is_live)
    .map(lot => lot[column])
const differ = (column: string) => (_: unknown, told: Told) => {
  const places = inAuction(told, column)
  return places.includes(null) || new Set(places).size !== 1
}
const oneWithout = (column: string) => (_: unknown, told: Told) =>
  inAuction(told, column).some(moment => !Number.isFinite(Number(moment)))

/** Why each property of the contract may be null: it is then, and at no other time. */
const ROWS: Row[] = [
  ['Listing.state', 'the source names no place', unpublished('state')],
  ['Listing.city', 'the source names none', unpublished('city')],
  ['Listing.zip', 'the source names none', unpublished('zip')],
  ['Listing.current_bid_cents', 'nobody has bid', unpublished('current_bid_cents')],
  ['Listing.buy_now_cents', 'nobody can buy it at once', unpublished('buy_now_cents')],
  ['Listing.starting_bid_cents', 'the source publishes none', unpublished('starting_bid_cents')],
  ['Listing.flip_score', 'no sale is like it, or no price is known', unpublished('flip_score')],
  ['Listing.condition_grade', 'the source grades none', unpublished('condition_grade')],
  [
    'Listing.image_url',
    'it has no picture, or its host refuses',
    (_, { stored }) => stored.image_url === null || Number(stored.photos_status) >= 400,
  ],
  [
    'Listing.start_date',
    'the source publishes none',
    (_, { stored }) => !Number.isFinite(Number(stored.starts)),
  ],
  [
    'Listing.end_date',
    'the source publishes none',
    (_, { stored }) => !Number.isFinite(Number(stored.ends)),
  ],
  ['Listing.distance_miles', 'the search has no ZIP code', (_, { asked }) => !asked.has('zip')],
  ['Listing.item', 'the title names none', unpublished('item')],
  ['Listing.quantity', 'neither title nor description names a number', unpublished('quantity')],
  ['Listing.vehicle_year', 'the title names none', unpublished('vehicle_year')],
  ['Listing.vehicle_make', 'the title names none', unpublished('vehicle_make')],
  ['Listing.vehicle_model', 'the title names none', unpublished('vehicle_model')],
  [
    'Listing.buyers_premium_percent',
    'neither lot nor source publishes it',
    (_, { stored }) => stored.buyers_premium_percent === null && stored.premium_percent === null,
  ],
  [
    'Listing.also_listed_as',
    'no other listing of it is known',
    (_, { stored }) => stored.duplicate_of === null && !stored.is_listed_twice,
  ],
  ['Listing.value_grade', 'there is no value', lot => !lot.appraised],
  [
    'Listing.approximate_value_cents',
    'there is no value, or a note says why it is not shown',
    lot => !lot.appraised || lot.value_note !== null,
  ],
  [
    'Listing.bid_increment_cents',
    'the source does not publish it',
    unpublished('bid_increment_cents'),
  ],
  [
    'Listing.next_bid_cents',
    'it is not known, nobody can bid, bids are sealed, or it has ended',
    (lot, told) =>
      !told.stored.is_open ||
      lot.status === 'ended' ||
      lot.offer_kind === 'fixed_price' ||
      isSealed(told) ||
      (lot.current_bid_cents ? lot.bid_increment_cents === null : lot.starting_bid_cents === null),
  ],
  ['Listing.end_precision', 'there is no end', lot => lot.end_date === null],
  ['Listing.auction_id', 'the source names none', unpublished('auction_id')],
  [
    'Listing.approximate_close_cents',
    'there is no value to go by, the price is fixed, bids are sealed, or it is too early to say',
    (_, told) => withoutClose(told),
  ],
  ['Listing.value_note', 'nothing is withheld', unpublished('value_note')],
  [
    'Listing.limit_cents',
    'no value is shown, it is a guess from words, or a machine has fewer than 5 like sales',
    (lot, told) => lot.approximate_value_cents === null || hasNoLimit(told),
  ],
  ['Listing.verdict', 'there is no limit', unpublished('verdict')],
  ['Listing.reserve_met', 'the source does not say', unpublished('reserve_met')],
  ['Listing.odometer_miles', 'nothing is stated', unpublished('odometer_miles')],
  ['Listing.engine_hours', 'nothing is stated', unpublished('engine_hours')],
  ['Listing.runs', 'nothing is stated', unpublished('runs')],
  ['Listing.road_title', 'nothing is stated', unpublished('road_title')],
  ['Listing.open_recall', 'nothing is stated', unpublished('open_recall')],
  [
    'Listing.no_bid_chance',
    'it has a bid, bids are not published or seen, it has no value, or too few ended without one',
    (_, told) => hasNoChance(told),
  ],
  [
    'Auction.state',
    'its live lots are in several, or one of them in none that is known',
    differ('state'),
  ],
  [
    'Auction.city',
    'its live lots are in several, or one of them in none that is known',
    differ('city'),
  ],
  ['Auction.start_date', 'one of its live lots has none', oneWithout('starts')],
  ['Auction.end_date', 'one of its live lots has none', oneWithout('ends')],
  ['ListingDetail.description', 'the source has none', unpublished('description')],
  ['ListingDetail.auction', 'the source names none', unpublished('auction_id')],
  ['ListingDetail.publisher_changed_at', 'the publisher does not say', unpublished('changed_at')],
  [
    'EarlierListing.num_bids',
    'somebody bid, and the source publishes no number',
    (_, { stored }) =>
      stored.current_bid_cents !== null && stored.num_bids === 0 && !stored.bids_known,
  ],
  ['EarlierListing.price_cents', 'no price is known', (_, told) => hasNoPrice(told)],
  ['ListingPage.missing', 'no lots are named', (_, { asked }) => !asked.has('ids')],
  [
    'ListingPage.suggestion',
    'something was found, or no nearer words find anything',
    withoutSearchedWords,
  ],
  ['ListingPage.twins', 'every lot is asked for', (_, { asked }) => !asked.has('group')],
  ['MatchedChange.current_bid_cents', 'nobody has bid', ({ num_bids }) => num_bids === 0],
  [
    'MatchedChange.former_price_cents',
    'no price changed',
    ({ kind, num_bids }) =>
      !['bid', 'price_drop'].includes(kind) || num_bids === BIDS_OF_SAME_PRICE,
  ],
  [
    'MatchedChange.end_date',
    'the source publishes none',
    (_, { stored }) => !Number.isFinite(Number(stored.ends)),
  ],
  [
    'BidList.next_observation_at',
    'the lot has ended, or its source is not fetched here or is late',
    (_, { stored }) => !stored.is_open || !(Number(stored.due_ms) > NOW.getTime() - 10 * MINUTE),
  ],
  ['Bid.current_bid_cents', 'nobody has bid', ({ num_bids }) => num_bids === 0],
  ['Change.current_bid_cents', 'nobody has bid', ({ num_bids }) => num_bids === 0],
  [
    'Change.end_date',
    'the source publishes none',
    (_, { stored }) => !Number.isFinite(Number(stored.ends)),
  ],
  [
    'Source.last_success_at',
    'it was never read',
    ({ source }) => sources.get(source)!.last_success_at === null,
  ],
  [
    'Source.publisher_changed_at',
    'the publisher does not say',
    ({ source }) => sources.get(source)!.publisher_changed_at === null,
  ],
  ['Item.median_cents', 'fewer than 5 were sold', underFive('sold_count')],
  ['Item.piece_median_cents', 'fewer than 5 pieces were sold', underFive('piece_count')],
  ['RealPrices.median_cents', 'fewer than 5 were sold', underFive('count')],
  ['Sale.item', 'the title names none', unpublished('item')],
  ['Sale.state', 'the source names no place', unpublished('state')],
  ['Sale.city', 'the source names none', unpublished('city')],
  [
    'SalePage.suggestion',
    'something was found, or no nearer words find anything',
    withoutSearchedWords,
  ],
  ['ArchiveFile.day', 'it is no feed', ({ table }) => table !== 'feed'],
  ['ArchiveFile.feed', 'it is no feed', ({ table }) => table !== 'feed'],
  ['Comps.piece_median_cents', 'fewer than 5 pieces were sold', underFive('piece_count')],
  ['Comps.model_years', 'no item is asked for', unless('item')],
  ['Comps.item', 'no item is asked for', unless('item')],
  ['Comps.listing_id', 'no listing is asked for', unless('listing_id')],
  [
    'Comps.percentiles',
    'only a category or a state is asked for',
    unless('item', 'listing_id', ...BY_WORDS),
  ],
  [
    'Comps.resale_margin',
    'no listing is asked for, or it has no price, a guess from words, or a note',
    (_, told) =>
      kindOf(told) !== 'listing_id' ||
      hasNoPrice(told) ||
      told.stored.value_grade === 'words' ||
      told.stored.value_note !== null,
  ],
  ['Comps.confidence', 'neither listing nor title is asked for', unless('listing_id', ...BY_WORDS)],
  [
    'Comps.comparables',
    'neither listing nor title is asked for',
    unless('listing_id', ...BY_WORDS),
  ],
  ['Comps.stats_of', 'neither listing nor title is asked for', unless('listing_id', ...BY_WORDS)],
  [
    'Comps.appraisal',
    'neither listing nor title is asked for, or a note says why it is not shown',
    (value, told) =>
      unless('listing_id', ...BY_WORDS)(value, told) ||
      (kindOf(told) === 'listing_id' && told.stored.value_note !== null),
  ],
  ['Comps.your_costs', 'the buyer says nothing', (_, { asked }) => !asked.has('tax_percent')],
  ['CompsEnvelope.titles', 'no titles are asked for', (_, { asked }) => !asked.has('titles')],
  ...[
    'median_cents',
    'min_cents',
    'max_cents',
    'price_basis',
    'confidence',
    'stats_of',
    'appraisal',
  ].map(
    (property): Row => [
      `TitleComps.${property}`,
      'there is no value',
      ({ title }) => title === NONSENSE,
    ],
  ),
  ['TitleComps.reason', 'there is a value', ({ title }) => title !== NONSENSE],
  [
    'YourCosts.distance_miles',
    'the place of the buyer or of the lot is not known',
    (_, { asked, stored }) => !asked.has('buyer_zip') || stored.latitude === null,
  ],
  ['YourCosts.premium_is_taxed', 'the source does not publish it', () => true],
  [
    'YourCosts.limit_cents',
    'no highest bid is named, or none leaves the margin',
    (_, told) => hasNoLimit(told) || isTooFar(told),
  ],
  ['YourCosts.at_next', 'there is no price', (_, told) => hasNoPrice(told)],
  ['YourCosts.at_limit', 'there is no limit', ({ limit_cents }) => limit_cents === null],
  ['YourCosts.at_likely', 'nothing is projected', (_, told) => withoutClose(told)],
  [
    'BidCosts.premium_cents',
    'neither lot nor source publishes it',
    (_, { stored }) => stored.buyers_premium_percent === null && stored.premium_percent === null,
  ],
  [
    'BidCosts.transport_cents',
    'miles cost something, and nobody knows how many they are',
    (_, told) =>
      told.asked.has('cost_per_mile') && outer(told, 'YourCosts').distance_miles === null,
  ],
  ['BidCosts.left_cents', 'no highest bid is named', (_, told) => hasNoLimit(told)],
  ['Appraisal.projected_close_cents', 'the lot has no likely close', notProjected],
  ['Appraisal.projection_basis', 'nothing is projected', notProjected],
  ['Appraisal.target_margin_percent', 'no highest bid is named', noHighestBid],
  [
    'Appraisal.max_bid_cents',
    'it is a guess from words, or a machine has fewer than 5 like sales',
    noHighestBid,
  ],
  [
    'Appraisal.neighbors_percent',
    'the sale goes as usual, or nobody has bid on its other lots',
    (_, told) =>
      kindOf(told) !== 'listing_id' || Math.abs(Number(told.stored.neighbor_factor) - 1) < 0.1,
  ],
  [
    'Appraisal.seen_factor',
    'the prices were paid, it is 1, or nobody measured it',
    (_, told) => kindOf(told) !== 'listing_id' || told.stored.seen_factor === null,
  ],
  ['Appraisal.resale_value_cents', 'no highest bid is named', noHighestBid],
  [
    'Appraisal.no_bid_chance',
    'a title is asked for, or the listing has none',
    (_, told) => kindOf(told) !== 'listing_id' || hasNoChance(told),
  ],
  ['FlipScore.resale_margin_cents', 'there is no price', (_, told) => hasNoPrice(told)],
]

/** Those that no answer of this test has had once null and once not, with the reason. */
const ONE_SIDED: Record<string, string> = {
  'YourCosts.premium_is_taxed': 'no source publishes it, so it is always null',
  'FlipScore.resale_margin_cents': 'a lot without a price has no score',
}

const BIDS_OF_SAME_PRICE = 99

const lots = new Map<string, Stored>()
const lotsByTitle = new Map<string, Stored>()
const sources = new Map<string, Record<string, unknown>>()
const all: Told[] = []

beforeAll(async () => {
  const elsewhere = openAdminConnection(api.databaseUrl)
  await loadDemo(elsewhere, { lots: 260, sales: 1_200, seed: 5, now: NOW, onProgress: () => {} })
  await elsewhere.end()
  const [changing] = await makeRareLots()
  const messages = await messagesAbout(changing!)
  await readStored()
  for (const message of messages) note(MESSAGE, message, new URLSearchParams(), changing)
  await askEverything(changing!)
}, 240_000)

/** Lots and sources that the demo has none of, the first of which nobody has bid on. */
async function makeRareLots(): Promise<string[]> {
  const { sql } = api
  await insertSales(sql, [{ title: 'Green kiln', final_bid_cents: 700, sold_at: fromNow(-DAY) }])
  // Of half of the lots, which no run of this size measures.
  await sql`
    update appraisals
    set seen_factor = 1.2, neighbor_factor = 1.3
    where lot_id < '80000000-0000-0000-0000-000000000000'`
  await sql`update sources set publisher_changed_at = ${NOW} where source = 'gsa'`
  await sql`update sources set last_success_at = null where source = 'mibid'`
  for (const [source, next_due_at] of [
    ['gsa', fromNow(15 * MINUTE)],
    ['govdeals', fromNow(-11 * MINUTE)],
  ] as const)
    await sql`
      insert into sweeps ${sql({ source, next_due_at })}
      on conflict (source) do update set next_due_at = excluded.next_due_at`
  const sale = { auction_id: 'sale-1', auction_name: 'Sale 1', state: 'OH', city: 'Dayton' }
  const scattered = { auction_id: 'sale-2', auction_name: 'Sale 2', state: 'OH', city: 'Dayton' }
  const before = {
    state: 'OH',
    city: 'Dayton',
    is_open: false,
    starts_at: fromNow(-60 * DAY),
    ends_at: fromNow(-50 * DAY),
    title: 'Blue kiln',
  }
  const ids = await insertLots(sql, [
    {
      slug: 'changing',
      title: 'Red kiln',
      starting_bid_cents: 9_000,
      starts_at: '-infinity',
      ends_at: 'infinity',
    },
    { slug: 'offered-again', title: 'Blue kiln', ...sale },
    { slug: 'unnumbered', ...before, current_bid_cents: 500, bids_known: false },
    { slug: 'numbered', ...before, current_bid_cents: 500, num_bids: 3, bids_known: true },
    { slug: 'never-priced', ...before },
    { slug: 'dayton', ...scattered, starts_at: '-infinity', ends_at: 'infinity' },
    { slug: 'akron', ...scattered, city: 'Akron', state: null },
    ...['one', 'two'].map(which => ({
      slug: `twin-${which}`,
      title: 'Twin kiln',
      state: 'OH',
      city: 'Dayton',
    })),
    {
      slug: 'stated',
      image_url: 'https://auctions.example/kiln.jpg',
      reserve_met: true,
      engine_hours: 12.5,
      open_recall: false,
    },
  ])
  await sql`update lots set duplicate_of = ${ids[0]!} where slug = 'stated'`
  return ids
}

/**
 * What a webhook endpoint gets about a lot that changes in every way, and of whose kind one is
 * listed with an end.
 */
async function messagesAbout(id: string): Promise<object[]> {
  const { sql } = api
  const receiver = await startReceiver()
  const account_id = await insertAccount(sql)
  const endpoint = await insertEndpoint(sql, account_id, { url: receiver.url })
  const search = {
    account_id,
    query: { q: 'red kiln' },
    cadence: 'instant' as const,
    by_mail: false,
  }
  await insertSearches(sql, [{ ...search, endpoint_ids: [endpoint] }])
  for (const change of [
    { starting_bid_cents: 8_000 },
    { current_bid_cents: 8_500, num_bids: 1 },
    { num_bids: BIDS_OF_SAME_PRICE },
  ]) {
    await sql`update lots set ${sql(change)} where id = ${id}`
    await matchChanges(sql, { now: NOW })
  }
  await insertLots(sql, [{ slug: 'with-end', title: 'Red kiln' }])
  await matchChanges(sql, { now: NOW })
  await deliverAt(sql, NOW)
  await receiver.end()
  return receiver.received.map(({ body }) => JSON.parse(body))
}

async function readStored(): Promise<void> {
  const rows = await api.sql<(Stored & { id: string; title: string })[]>`
    select
      l.*, s.premium_percent, s.photos_status, s.publisher_changed_at as changed_at, to_ms(w.next_due_at) as due_ms,
      extract(epoch from l.starts_at) as starts, extract(epoch from l.ends_at) as ends,
      l.is_open and l.starts_at <= ${NOW} and l.ends_at > ${NOW} as is_live, a.neighbor_factor, a.seen_factor,
      (select count(*)::int from unnest(a.similarities) as similarity where similarity >= 0.3) as like_count,
      exists (select from lots other where other.duplicate_of = l.id and other.is_open) as is_listed_twice
    from lots l
    join sources s using (source)
    left join sweeps w using (source)
    left join appraisals a on a.lot_id = l.id`
  for (const row of rows) {
    lots.set(row.id, row)
    lotsByTitle.set(row.title, row)
  }
  for (const row of await api.sql`select * from sources`) sources.set(row.source, row)
}

type Schema = Parameters<typeof toldObjects>[0]

/** The schema of what an endpoint gets. */
const MESSAGE: Schema = { $ref: '#/components/schemas/LotMatched' }

function note(schema: Schema, body: unknown, asked: URLSearchParams, about?: string): void {
  for (const told of toldObjects(schema, body)) {
    const around = [...told.within, told].toReversed().map(({ value }) => value)
    const titled = around.flatMap(({ title }) => lotsByTitle.get(title) ?? [])
    const named = around.flatMap(({ id, listing_id, listing }) => [listing?.id, id, listing_id])
    const ids = [...named, about, asked.get('listing_id')].flatMap(id => lots.get(id ?? '') ?? [])
    const byWords = [asked.get('q'), ...asked.getAll('titles')].flatMap(
      title => lotsByTitle.get(title ?? '') ?? [],
    )
    all.push({ ...told, asked, stored: [...ids, ...titled, ...byWords][0] ?? ({} as Stored) })
  }
}

async function ask(operationId: OperationId, path: string, key?: string) {
  const body = await api.read(path, { key })
  const { pathname, searchParams } = new URL(path, PUBLIC_URL)
  note(
    answerOf(operationId),
    body,
    searchParams,
    pathname.split('/').find(part => lots.has(part)),
  )
  return body
}

async function askEverything(changing: string): Promise<void> {
  const found: Schemas['Listing'][] = []
  for (let page = 1; page <= 6; page++)
    found.push(...(await ask('searchListings', `/api/v1/listings?per_page=50&page=${page}`)).data)
  const words = encodeURIComponent(NONSENSE)
  for (const query of [
    ...[
      'zip=60601&radius_miles=200',
      'group=sale&q=twin+kiln',
      'q=toyotta',
      `q=${words}`,
      'q=kiln',
    ],
    `ids=${changing},no-such-lot`,
  ])
    await ask('searchListings', `/api/v1/listings?${query}`)
  const rare = ['changing', 'offered-again', 'dayton', 'akron', 'twin-one']
  const named = rare.map(slug => [...lots].find(([, lot]) => lot.slug === slug)![0])
  const some = found.filter((_, place) => place % 6 === 0).map(({ id }) => id)
  for (const id of [...named, ...some]) await ask('getListing', `/api/v1/listings/${id}`)
  for (const id of [...named, ...some.slice(0, 30)])
    await ask('listBids', `/api/v1/listings/${id}/bids`)
  for (let cursor = ''; ; ) {
    const { next_cursor, more } = await ask('listChanges', `/api/v1/changes?per_page=500${cursor}`)
    if (!more) break
    cursor = `&cursor=${next_cursor}`
  }
  await ask('listSources', '/api/v1/sources')
  const items: Schemas['Item'][] = (await ask('listItems', '/api/v1/items')).data
  for (const query of ['per_page=50', 'q=toyotta', `q=${words}`])
    await ask('searchSales', `/api/v1/sales?${query}`)
  await askArchives()
  await askPrices(found, items)
}

async function askArchives(): Promise<void> {
  const owner = 'reader@example.com'
  const key = await api.makeKey('enterprise', { owner })
  const [account] = await api.sql<{ id: number }[]>`
    update accounts set plan = 'enterprise' where owner = ${owner} returning id`
  await insertSearches(api.sql, [{ account_id: account!.id, query: { q: 'kiln' }, by_file: true }])
  const store = createFolderStore(folder, PEPPER, PUBLIC_URL)
  await writeArchives(api.sql, archiveSettings(store), '2026-10')
  await ask('listArchives', '/api/v1/archives?per_page=50', key)
}

async function askPrices(found: Schemas['Listing'][], items: Schemas['Item'][]): Promise<void> {
  const sold = items.filter(({ sold_count }) => sold_count >= 5).slice(0, 5)
  const valued = found.filter(({ appraised }) => appraised)
  const noted = valued
    .filter(({ value_note, value_grade }) => value_note || value_grade === 'words')
    .slice(0, 12)
  const machines = valued.filter(({ category }) => category === 'heavy-equipment').slice(0, 12)
  const unpriced = valued
    .filter(lot => (lot.current_bid_cents ?? lot.starting_bid_cents) === null)
    .slice(0, 10)
  const usual = valued.slice(0, 24)
  const read = (query: string) => ask('getComps', `/api/v1/comps?${query}`)
  for (const query of ['category=vehicles', 'state=CA', ...sold.map(({ slug }) => `item=${slug}`)])
    await read(query)
  for (const { id } of new Set([...usual, ...noted, ...machines, ...unpriced])) {
    await read(`listing_id=${id}`)
    await read(`listing_id=${id}&tax_percent=8`)
    await read(`listing_id=${id}&tax_percent=8&buyer_zip=60601&cost_per_mile=${DOLLARS_A_MILE}`)
    await read(
      `listing_id=${id}&tax_percent=8&cost_per_mile=${DOLLARS_A_MILE}&fixed_cost_cents=${FIXED_COST_ABOVE_ALL}`,
    )
  }
  // Which category an estimator takes a title for shows where it names an item.
  const titled = [...usual, ...noted, ...machines].filter(
    ({ category, item }) => item || category !== 'heavy-equipment',
  )
  for (const { title } of titled.filter((_, place) => place % 4 === 0)) {
    const words = encodeURIComponent(title)
    await read(`q=${words}`)
    await read(`titles=${encodeURIComponent(NONSENSE)}&titles=${words}`)
  }
  await read(`titles=${encodeURIComponent(NONSENSE)}`)
  for (const { id } of valued.filter(({ flip_score }) => flip_score !== null).slice(0, 60))
    await ask('getFlipScore', `/api/v1/flip-score/${id}`)
}

describe('a property that may be null', () => {
  it('has its row here, whatever schema it is of, and the contract says when it is', () => {
    const written = nullableProperties()
    expect(ROWS.map(([property]) => property).toSorted()).toEqual([...written.keys()].toSorted())
    const says =
      /\bnull\s(where|while|without|within|with|before|if|for|until|by|under)\b|, null|else null/i
    expect(
      [...written].filter(([, words]) => !says.test(words)).map(([property]) => property),
    ).toEqual([])
  })

  it.each(ROWS)('%s is null when %s, and only then', (property, _when, isNull) => {
    const [schema, name] = property.split('.') as [string, string]
    const told = all.filter(one => one.name === schema && name in one.value)
    const wrong = told.filter(one => (one.value[name] === null) !== isNull(one.value, one))
    expect(wrong.map(({ asked, stored, value }) => [`${asked}`, stored.title, value])).toEqual([])
    const seen = new Set(told.map(({ value }) => value[name] === null))
    const lacks = `no ${schema} here has ${seen.has(true) ? 'a value' : 'null'} in ${name}: insert a lot`
    expect(seen.size, lacks).toBe(ONE_SIDED[property] ? 1 : 2)
  })
})
