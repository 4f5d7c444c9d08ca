/**
 * What a person would set on the form for a sentence. Names are those of the API, but for a place
 * and a time in words.
 */
export interface FormSetBySentence {
  /** The words that remain; absent where none do. */
  q?: string
  /** The center of a radius, as "City, ST". */
  near?: string
  zip?: string
  radius_miles?: number
  state?: string
  price_min?: number
  price_max?: number
  ends?: 'today' | 'tomorrow' | '3 days' | 'a week'
  vehicle_year_min?: number
  vehicle_year_max?: number
  odometer_max?: number
  hours_max?: number
  runs?: boolean
  no_bids?: true
  buy_now?: true
}

/**
 * Sentences as buyers write them in forums, each with the filters that a person would set. They
 * were written before the reader of sentences was. "used" and "cheap" name no filter of a search,
 * so they are no words of it either.
 */
export const BUYER_SENTENCES: [sentence: string, form: FormSetBySentence][] = [
  ['used pickup under 5000 near dallas', { q: 'pickup', price_max: 5000, near: 'Dallas, TX' }],
  [
    'pickup truck under $5,000 near Dallas this week',
    { q: 'pickup truck', price_max: 5000, near: 'Dallas, TX', ends: 'a week' },
  ],
  ['f150 under 10k in texas', { q: 'f150', price_max: 10_000, state: 'TX' }],
  ['F-250 diesel under 15k', { q: 'F-250 diesel', price_max: 15_000 }],
  ['bobcat in ohio', { q: 'bobcat', state: 'OH' }],
  ['Looking for a skid steer near Columbus, OH', { q: 'skid steer', near: 'Columbus, OH' }],
  ['dell laptops $100-$300', { q: 'dell laptops', price_min: 100, price_max: 300 }],
  ['laptop lot 1k-3k', { q: 'laptop lot', price_min: 1000, price_max: 3000 }],
  ['forklift between 2000 and 6000 dollars', { q: 'forklift', price_min: 2000, price_max: 6000 }],
  ['generator over $1000', { q: 'generator', price_min: 1000 }],
  ['2015 or newer tahoe', { q: 'tahoe', vehicle_year_min: 2015 }],
  ['ford explorer 2016+', { q: 'ford explorer', vehicle_year_min: 2016 }],
  [
    'chevy silverado 2010-2014',
    { q: 'chevy silverado', vehicle_year_min: 2010, vehicle_year_max: 2014 },
  ],
  [
    'dodge charger newer than 2014 in FL',
    { q: 'dodge charger', vehicle_year_min: 2015, state: 'FL' },
  ],
  ['trucks from 2008 to 2012', { q: 'trucks', vehicle_year_min: 2008, vehicle_year_max: 2012 }],
  ['anything ending today in Georgia', { ends: 'today', state: 'GA' }],
  ['ending tomorrow near 78701', { ends: 'tomorrow', zip: '78701' }],
  ['trailers ending this week', { q: 'trailers', ends: 'a week' }],
  ['boats within 100 miles of Tampa', { q: 'boats', near: 'Tampa, FL', radius_miles: 100 }],
  [
    'office chairs within 25 miles of 20001',
    { q: 'office chairs', zip: '20001', radius_miles: 25 },
  ],
  ['atv close to Phoenix', { q: 'atv', near: 'Phoenix, AZ' }],
  [
    'dump truck around Atlanta under 20 grand',
    { q: 'dump truck', near: 'Atlanta, GA', price_max: 20_000 },
  ],
  ['cheap van in california', { q: 'van', state: 'CA' }],
  ['running car under 1500', { q: 'car', price_max: 1500, runs: true }],
  ['police car no bids', { q: 'police car', no_bids: true }],
  ['zero bids so far, electronics in VA', { q: 'electronics', no_bids: true, state: 'VA' }],
  ['buy it now tractor', { q: 'tractor', buy_now: true }],
  ['lathe less than 3500', { q: 'lathe', price_max: 3500 }],
  ['milling machine max $4000', { q: 'milling machine', price_max: 4000 }],
  ['up to $750 for a utility trailer', { q: 'utility trailer', price_max: 750 }],
  ['at least $500 scrap metal', { q: 'scrap metal', price_min: 500 }],
  ['jeep wrangler below 8,000 in Colorado', { q: 'jeep wrangler', price_max: 8000, state: 'CO' }],
  ['5 ton army truck', { q: '5 ton army truck' }],
  ['deuce and a half', { q: 'deuce and a half' }],
  [
    'rv or camper under 12k near Portland, Oregon',
    { q: 'rv or camper', price_max: 12_000, near: 'Portland, OR' },
  ],
  ['motorcycle 04073', { q: 'motorcycle', zip: '04073' }],
  ['houses in New Mexico', { q: 'houses', state: 'NM' }],
  ['ambulance in New York under $10k', { q: 'ambulance', state: 'NY', price_max: 10_000 }],
  ['2012 Ford F-150', { q: '2012 Ford F-150' }],
  ['ford taurus older than 2010', { q: 'ford taurus', vehicle_year_max: 2009 }],
  ['school bus before 2005', { q: 'school bus', vehicle_year_max: 2004 }],
  [
    'toyota prius 2012 and up under $6k',
    { q: 'toyota prius', vehicle_year_min: 2012, price_max: 6000 },
  ],
  ['I want a golf cart in South Carolina', { q: 'golf cart', state: 'SC' }],
  ['show me excavators', { q: 'excavators' }],
  ['any desks near Seattle WA', { q: 'desks', near: 'Seattle, WA' }],
  ['washington dc furniture', { q: 'furniture', state: 'DC' }],
  [
    'tools in or near Kansas City, MO for under 200',
    { q: 'tools', near: 'Kansas City, MO', price_max: 200 },
  ],
  ['4x4 trucks ending in 3 days', { q: '4x4 trucks', ends: '3 days' }],
  ['snowplow closing today', { q: 'snowplow', ends: 'today' }],
  ['microscope under five hundred dollars', { q: 'microscope', price_max: 500 }],
  ['iphones around $200 or less', { q: 'iphones', price_max: 200 }],
  ['f250 under 5k no reserve', { q: 'f250', price_max: 5000 }],
  [
    'john deere mower $500 to $2500 in Iowa',
    { q: 'john deere mower', price_min: 500, price_max: 2500, state: 'IA' },
  ],
  ['crown vic', { q: 'crown vic' }],
  ['jet ski near Miami next 3 days', { q: 'jet ski', near: 'Miami, FL', ends: '3 days' }],
  ['pallet of laptops -parts', { q: 'pallet of laptops -parts' }],
  ['"crew cab" trucks in TN', { q: '"crew cab" trucks', state: 'TN' }],
  [
    'cat d6 dozer 100 miles from Denver',
    { q: 'cat d6 dozer', near: 'Denver, CO', radius_miles: 100 },
  ],
  [
    'Honda Civic 2018 or later between $3k and $9k',
    { q: 'Honda Civic', vehicle_year_min: 2018, price_min: 3000, price_max: 9000 },
  ],
  ['what can I get for $100 in Ohio', { price_max: 100, state: 'OH' }],
]
