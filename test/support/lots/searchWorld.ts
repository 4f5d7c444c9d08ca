import type { FilterName } from '../../../src/domain/search/filters.ts'
import type { Sql } from '../../../src/infra/postgres/database.ts'
import { DAY, fromNow, HOUR, insertLots, type LotDraft } from './fixtures.ts'

/** Where GeoNames has ZIP codes, in degrees. */
export const CHICAGO = { latitude: 41.8858, longitude: -87.6181 }
export const GARY = { latitude: 41.5997, longitude: -87.3385 }
const MILWAUKEE = { latitude: 43.0506, longitude: -87.8968 }

const TRUCK = {
  title: '2014 FORD F-150 XL pickup',
  category: 'vehicles',
  vehicle_year: 2014,
  vehicle_make: 'Ford',
  auction_id: 'gsa-27-006',
  auction_name: '27-006',
  state: 'IL',
  city: 'CHICAGO',
  zip: '60601',
  ...CHICAGO,
  current_bid_cents: 412_500,
  starting_bid_cents: 50_000,
  num_bids: 11,
  odometer_miles: 104_211,
  runs: true,
  flip_score: 64,
  limit_cents: 420_000,
  verdict: 'room',
  approximate_value_cents: 600_000,
  starts_at: fromNow(-3 * DAY),
  ends_at: fromNow(HOUR),
}

/**
 * What each parameter of a search is tried on. Six lots are live; each of the dead ones is a truck
 * otherwise.
 */
const LOTS: LotDraft[] = [
  { slug: 'truck', ...TRUCK },
  {
    slug: 'van',
    title: 'Chevrolet Express van',
    description: 'Runs. New alternator, brake pads and a T-110 rack.',
    category: 'vehicles',
    vehicle_year: 2019,
    vehicle_make: 'Chevrolet',
    odometer_miles: 88_000,
    source: 'municibid',
    state: 'WI',
    zip: '53202-4321',
    ...MILWAUKEE,
    starting_bid_cents: 100_000,
    buy_now_cents: 990_000,
    flip_score: 30,
    approximate_value_cents: 1_200_000,
    expected_profit_cents: -10_000,
    ends_at: fromNow(2 * HOUR),
  },
  {
    slug: 'forklift',
    title: 'Toyota forklift, 5000lb',
    category: 'heavy-equipment',
    engine_hours: 4500.5,
    runs: false,
    state: 'IN',
    auction_id: 'gsa-27-006',
    auction_name: '27-006',
    ...GARY,
    current_bid_cents: 9_999,
    num_bids: 2,
    ends_at: fromNow(3 * HOUR),
  },
  {
    slug: 'laptops',
    title: 'Dell laptops, lot of 10',
    description: 'Sold with chargers & docking stations. <b>No drives</b>',
    category: 'electronics',
    source: 'usps',
    state: 'TX',
    buy_now_cents: 45_050,
    approximate_value_cents: 110,
    expected_profit_cents: 20_000,
    ends_at: fromNow(4 * HOUR),
  },
  {
    slug: 'chair',
    title: "O'Brien office chair (blue)",
    category: 'office-furniture',
    starts_at: '-infinity',
    ends_at: 'infinity',
  },
  {
    slug: 'screen',
    title: 'Écran plat C++ 55"',
    category: 'other',
    state: 'PR',
    current_bid_cents: 0,
    starting_bid_cents: 70_000,
    flip_score: 0,
    ends_at: fromNow(5 * HOUR),
  },
  { slug: 'ends-now', ...TRUCK, ends_at: fromNow(0) },
  { slug: 'over-but-still-marked-open', ...TRUCK, ends_at: fromNow(-1) },
  { slug: 'opens-in-a-second', ...TRUCK, starts_at: fromNow(1000) },
  { slug: 'sold', ...TRUCK, is_open: false, outcome: 'sold', ends_at: fromNow(-HOUR) },
  { slug: 'unsold', ...TRUCK, is_open: false, outcome: 'unsold', ends_at: fromNow(-HOUR) },
  { slug: 'withdrawn', ...TRUCK, is_open: false, outcome: 'withdrawn' },
]

export function insertSearchWorld(sql: Sql): Promise<string[]> {
  return insertLots(sql, LOTS)
}

const EVERY_LOT = ['truck', 'van', 'forklift', 'laptops', 'screen', 'chair']
const PRICED = EVERY_LOT.filter(slug => slug !== 'chair')

/** Queries and the lots that they find, those that end soonest first. */
export const FINDINGS: [query: string, found: string[]][] = [
  ['', EVERY_LOT],
  ['category=vehicles', ['truck', 'van']],
  ['category=heavy-equipment', ['forklift']],
  ['category=real-estate', []],
  ['state=IL', ['truck']],
  ['state=il', ['truck']],
  ['state=pR', ['screen']],
  ['state=ZZ', []],
  ['source=gsa', ['truck', 'forklift', 'screen', 'chair']],
  ['source=municibid', ['van']],
  ['source=treasury', []],
  ['source=no-such-source', []],
  ["source=gsa'--", []],

  ['zip=60601', ['truck', 'forklift']],
  ['zip=60601-1234', ['truck', 'forklift']],
  ['zip=60601&radius_miles=1', ['truck']],
  ['zip=60601&radius_miles=100', ['truck', 'van', 'forklift']],
  ['zip=53202&radius_miles=200&state=IN', ['forklift']],
  ['zip=53202&radius_miles=200&sort=nearest', ['van', 'truck', 'forklift']],
  ['zip=60601&radius_miles=100&sort=nearest', ['truck', 'forklift', 'van']],
  ['zip=00601', []],
  ['radius_miles=1', EVERY_LOT],

  ['price_min=1000', ['truck', 'van']],
  ['price_min=1000.00', ['truck', 'van']],
  ['price_min=1000.01', ['truck']],
  ['price_min=4125&price_max=4125', ['truck']],
  ['price_min=4125.000001', []],
  ['price_max=99.99', ['forklift', 'screen']],
  ['price_max=99.98999', ['screen']],
  ['price_max=600&category=vehicles', []],
  ['price_min=450.5&price_max=450.50', ['laptops']],
  ['price_min=450.49&price_max=450.51', ['laptops']],
  ['price_max=0', ['screen']],
  ['price_min=0', PRICED],
  ['price_min=0.000000000000000001', PRICED.filter(slug => slug !== 'screen')],
  ['price_max=1000000000', PRICED],

  ['min_flip_score=0', ['truck', 'van', 'screen']],
  ['min_flip_score=31', ['truck']],
  ['min_flip_score=30&category=vehicles&closing_within_hours=2', ['truck', 'van']],
  ['value_min=0', ['truck', 'van', 'laptops']],
  ['value_min=6000', ['truck', 'van']],
  ['value_min=6000.01', ['van']],
  ['value_min=1.1&no_bids=true', ['van', 'laptops']],
  ['value_min=1000&min_flip_score=31', ['truck']],
  ['value_min=1000&q=ford', ['truck']],
  ['sort=most_profit&value_min=1&no_bids=true', ['laptops', 'van']],
  ['closing_within_hours=1', ['truck']],
  ['closing_within_hours=5', PRICED],
  ['closing_within_hours=4&no_bids=true', ['van', 'laptops']],

  ['ends_before=2026-11-22', PRICED],
  ['ends_before=2026-11-21', []],
  ['vehicle_year_min=2014', ['truck', 'van']],
  ['vehicle_year_min=2015&vehicle_year_max=2019', ['van']],
  ['vehicle_year_max=2018', ['truck']],
  ['vehicle_make=fORD', ['truck']],
  ['vehicle_make=Tesla', []],
  ['auction=gsa-27-006', ['truck', 'forklift']],
  ['auction=gsa-27-006&category=vehicles', ['truck']],
  ['auction=GSA-27-006', []],
  ['odometer_max=104211', ['truck', 'van']],
  ['odometer_max=104210', ['van']],
  ['hours_max=4501', ['forklift']],
  ['hours_max=4500', []],
  ['runs=true', ['truck']],
  ['runs=false', ['forklift']],

  ['no_bids=true', ['van', 'laptops', 'screen', 'chair']],
  ['no_bids=false', EVERY_LOT],
  ['buy_now=true', ['van', 'laptops']],
  ['buy_now=false', EVERY_LOT],
  ['no_bids=true&buy_now=true&category=vehicles', ['van']],
  ['no_bids=false&buy_now=false&state=TX', ['laptops']],
  ['q=ford&category=electronics', []],
]

const namesOf = (query: string) => [...new URLSearchParams(query).keys()].toSorted().join()

/**
 * The first finding of each combination of parameters, for what shares the search with REST, which
 * proves every finding.
 */
export const FINDINGS_OF_EACH = FINDINGS.filter(
  ([query], n) => FINDINGS.findIndex(([other]) => namesOf(other) === namesOf(query)) === n,
)

/** For each filter and for the order, two queries that differ in it alone and find other lots. */
export const FILTER_PAIRS: Record<
  FilterName | 'radius_miles' | 'sort',
  [query: string, other: string]
> = {
  q: ['', 'q=ford'],
  category: ['', 'category=vehicles'],
  state: ['', 'state=IL'],
  source: ['', 'source=municibid'],
  zip: ['', 'zip=60601'],
  radius_miles: ['zip=60601', 'zip=60601&radius_miles=1'],
  price_min: ['', 'price_min=1000.01'],
  price_max: ['', 'price_max=99.99'],
  sort: ['sort=ending_soon', 'sort=price_high'],
  closing_within_hours: ['', 'closing_within_hours=1'],
  min_flip_score: ['', 'min_flip_score=31'],
  value_min: ['', 'value_min=6000'],
  ends_before: ['', 'ends_before=2026-11-22'],
  vehicle_year_min: ['', 'vehicle_year_min=2015'],
  vehicle_year_max: ['', 'vehicle_year_max=2018'],
  vehicle_make: ['', 'vehicle_make=ford'],
  auction: ['', 'auction=gsa-27-006'],
  odometer_max: ['', 'odometer_max=100000'],
  hours_max: ['', 'hours_max=5000'],
  runs: ['', 'runs=false'],
  no_bids: ['', 'no_bids=true'],
  buy_now: ['', 'buy_now=true'],
}

/** Words and the lots that they find, those that end soonest first. */
export const WORDS: [words: string, found: string[]][] = [
  ...whatFind(
    ['truck'],
    ...[
      'ford',
      'FORD Pickups',
      'pickup ford',
      'f-150',
      'F150',
      'f 150',
      '"f 150"',
      '"F-150 xl"',
      'f-150 xl',
    ],
    ...['ford -xlt', 'ford the', 'ford !!!', 'ford"', 'ford & pickup', 'ford:*', 'ford <-> pickup'],
  ),
  ...whatFind(['van'], 'alternators', 't110'),
  ...whatFind(['forklift'], '5000 lb'),
  ...whatFind(['laptops'], 'chargers'),
  ...whatFind(['chair'], '"office chair"', 'chair -"chair office"', "o'brien", 'O’Brien', '(blue)'),
  ...whatFind(['screen'], 'c++', 'écran'),
  ...whatFind(['truck', 'van'], 'ford or van'),
  ...whatFind(['truck', 'forklift', 'laptops'], 'FORD OR TOYOTA OR dell'),
  ...whatFind(['forklift', 'laptops', 'screen', 'chair'], '-ford -van'),
  ...whatFind(
    [],
    ...[
      'ford van',
      '"chair office"',
      'ford -xl',
      'chair -"office chair"',
      '5,000',
      'obrien',
      'ford | van',
    ],
    ...["ford'); drop table lots; --", 'the', 'the and of', '-the', 'or', 'or or'],
    ...['"', '""', '-', '!!!', '\\', '%', '_', '🚚', ' '],
  ),
]

function whatFind(found: string[], ...words: string[]): [words: string, found: string[]][] {
  return words.map(one => [one, found])
}
