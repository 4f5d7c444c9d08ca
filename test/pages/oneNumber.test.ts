import { randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, it } from 'vitest'
import type { Listing } from '../../src/contract/types.ts'
import { newSigningSecret } from '../../src/domain/alerts/webhooks.ts'
import { rescore } from '../../src/usecases/valuation/rescore.ts'
import { deliverAt } from '../support/alerts/deliverer.ts'
import { mailAbout } from '../support/alerts/mailAbout.ts'
import { startReceiver } from '../support/alerts/receiver.ts'
import { insertAccount, insertEndpoint, insertSearches } from '../support/alerts/savedSearches.ts'
import { outdateAnswers } from '../support/database/database.ts'
import {
  DAY,
  fromNow,
  HOUR,
  insertLots,
  insertSales,
  type LotDraft,
  NOW,
} from '../support/lots/fixtures.ts'
import { callTool } from '../support/mcp/mcp.ts'
import { serviceFor } from '../support/service/start.ts'
import type { FormBrowser } from '../support/site/formBrowser.ts'
import { readPage, wordsOf } from '../support/site/readPage.ts'

const api = serviceFor({ now: NOW, linksToItself: true })

const HUNTSVILLE = {
  city: 'Huntsville',
  state: 'AL',
  zip: '35801',
  latitude: 34.73,
  longitude: -86.59,
}
const TRUCK = { category: 'vehicles', item: 'ford-f-150', vehicle_year: 2014 }
const FORD = {
  ...TRUCK,
  vehicle_make: 'Ford',
  vehicle_model: 'F-150',
  title: '2014 Ford F-150 XL 4WD',
}
const LAPTOP = { title: 'Dell Latitude 5490 laptop', category: 'electronics', item: 'laptop' }
const OVER = {
  is_open: false,
  ends_at: fromNow(-DAY),
  sold_at: fromNow(-DAY),
  outcome: 'sold',
} as const

/**
 * Of each kind that a source lists, with odd amounts: bids with cents, under $10, and under
 * $100,000.
 */
const LOTS: LotDraft[] = [
  {
    ...FORD,
    slug: 'room',
    odometer_miles: 98_412,
    current_bid_cents: 212_550,
    bid_increment_cents: 5_000,
    num_bids: 7,
    ends_at: fromNow(5 * HOUR),
    buyers_premium_percent: 12.5,
  },
  { ...FORD, slug: 'past-limit', source: 'govdeals', current_bid_cents: 512_300, num_bids: 19 },
  { ...FORD, slug: 'past-value', current_bid_cents: 550_012, num_bids: 21 },
  {
    ...FORD,
    slug: 'at-limit',
    current_bid_cents: 301_000,
    bid_increment_cents: 100_000,
    num_bids: 3,
  },
  {
    ...LAPTOP,
    slug: 'laptop',
    source: 'govdeals',
    current_bid_cents: 1_233,
    num_bids: 2,
  },
  {
    slug: 'cable',
    title: 'Thunderbolt cable adapter',
    category: 'electronics',
    starting_bid_cents: 55,
  },
  {
    slug: 'chairs',
    title: 'Steelcase Leap chairs, 12 each',
    category: 'office-furniture',
    quantity: 12,
    is_piece: false,
    starting_bid_cents: 2_500,
  },
  {
    slug: 'house',
    title: '3 bedroom house, 214 Oak St',
    category: 'real-estate',
    offer_kind: 'fixed_price',
    buy_now_cents: 8_999_900,
  },
  { slug: 'odd', title: 'Zygomatic frobnicator', current_bid_cents: 40_000, num_bids: 3 },
]
const ENDED: LotDraft[] = [
  {
    ...FORD,
    ...OVER,
    slug: 'sold',
    current_bid_cents: 331_234,
    final_bid_cents: 331_234,
    price_basis: 'awarded',
  },
  {
    ...FORD,
    ...OVER,
    slug: 'seen',
    current_bid_cents: 287_650,
    final_bid_cents: 287_650,
    price_basis: 'last_observed',
  },
  { ...FORD, slug: 'pending', current_bid_cents: 299_999, num_bids: 2, ends_at: fromNow(-HOUR) },
]

const AMOUNT = String.raw`(?:about )?(\$\d[\d,]*(?:\.\d\d)?)`
/** What a name is called before and after its amount, wherever it stands. */
const NAMES: Record<string, RegExp[]> = {
  limit: [
    RegExp(String.raw`\broom up to ${AMOUNT}`, 'gi'),
    RegExp(String.raw`\bbid up to ${AMOUNT}`, 'gi'),
    RegExp(String.raw`(?<!your |your limit )\blimit (?:of )?${AMOUNT}`, 'gi'),
    RegExp(String.raw`\b25% ${AMOUNT}`, 'g'),
  ],
  'your limit': [RegExp(String.raw`\byour limit:? ${AMOUNT}`, 'gi')],
  'limit without the drive': [RegExp(String.raw`\blimit without the drive ${AMOUNT}`, 'gi')],
  'typical price': [
    RegExp(String.raw`\btypical price ${AMOUNT}`, 'gi'),
    RegExp(String.raw`${AMOUNT} typical price\b`, 'gi'),
  ],
  estimate: [RegExp(String.raw`\bour estimate of ${AMOUNT}`, 'gi')],
  said: [RegExp(String.raw`\bWe said ${AMOUNT}`, 'g')],
  'next bid': [RegExp(String.raw`\bnext bid(?: is)? ${AMOUNT}`, 'gi')],
  'will close at': [RegExp(String.raw`\bwill close at ${AMOUNT}`, 'gi')],
  price: [
    RegExp(
      String.raw`\b(?:current bid|starting bid|asking price|last bid seen|final price|buy now)(?: was)? ${AMOUNT}`,
      'gi',
    ),
    RegExp(String.raw`\bIt sold for ${AMOUNT}`, 'g'),
    RegExp(String.raw`\bsold for ${AMOUNT}`, 'g'),
    RegExp(
      String.raw`${AMOUNT} (?:now|starting bid|fixed price|current bid|asking price|last bid)\b`,
      'gi',
    ),
  ],
}
/** Amounts that only a rounding of two digits may have. */
const ROUNDED = ['limit', 'typical price', 'estimate', 'said', 'will close at']

type Found = Map<string, { cents: number; written: string; place: string }[]>

/** What is said of each lot, by slug and name. */
const said = new Map<string, Found>()

function centsOf(written: string) {
  return Math.round(100 * Number(written.replace(/[$,]/g, '')))
}

function note(slug: string, name: string, written: string, place: string) {
  const found = said.get(slug) ?? new Map()
  said.set(slug, found)
  found.set(name, [...(found.get(name) ?? []), { cents: centsOf(written), written, place }])
}

/** Notes each named amount of a text about one lot. @returns what is left of the text. */
function read(slug: string, text: string, place: string) {
  let left = text.replace(/[●▲◆·;,](?= )/g, '').replace(/\s+/g, ' ')
  for (const name of ['limit without the drive', 'your limit', ...Object.keys(NAMES)])
    for (const pattern of NAMES[name]!)
      left = left.replace(pattern, (_, written: string) => {
        note(slug, name, written, place)
        return ''
      })
  return left
}

/** The same of a text that has no other amount. */
function readWhole(slug: string, text: string, place: string) {
  expect([place, slug, /[^.]{0,60}\$\d[\d,.]*.{0,20}/.exec(read(slug, text, place))?.[0]]).toEqual([
    place,
    slug,
    undefined,
  ])
}

/** Each card of a page. */
function readCards(html: string, place: string) {
  for (const [card] of html.matchAll(/<li class="lot">.*?<\/li>/gs))
    readWhole(/\/listings\/([\w-]+)/.exec(card)![1]!, wordsOf(card), place)
}

/** The fields of a listing, as the API, a webhook and a CSV have them. */
function readFields(row: Record<string, unknown>, place: string) {
  const slug = String(row.bidprowl_url).split('/').at(-1)!
  const price = row.current_bid_cents || row.starting_bid_cents || row.buy_now_cents
  const fields = {
    limit: row.limit_cents,
    'typical price': row.approximate_value_cents,
    price,
    'next bid': row.next_bid_cents,
    'will close at': row.approximate_close_cents,
  }
  for (const [name, cents] of Object.entries(fields))
    if (cents) note(slug, name, written(Number(cents)), place)
}

function written(cents: number) {
  const options = {
    style: 'currency',
    currency: 'USD',
    minimumFractionDigits: cents % 100 ? 2 : 0,
  } as const
  return (cents / 100).toLocaleString('en-US', options)
}

/** The names that a place has said of a lot. */
const namesAt = (place: string, slug: string) =>
  [...(said.get(slug) ?? [])].flatMap(([name, found]) =>
    found.some(one => one.place === place) ? [name] : [],
  )

let rows: Listing[]
let visitor: FormBrowser
const costs = {
  buyer_zip: '35801',
  cost_per_mile: '1.5',
  tax_percent: '4',
  surcharge_percent: '0',
  resale_cost_percent: '12',
  margin_percent: '25',
  fixed_cost: '0',
  next: '',
}

beforeAll(async () => {
  const sales = (
    count: number,
    draft: Partial<LotDraft> & { title: string },
    cents: (n: number) => number,
  ) =>
    insertSales(
      api.sql,
      Array.from({ length: count }, (_, n) => ({
        ...draft,
        final_bid_cents: cents(n),
        sold_at: fromNow(-(n + 1) * 5 * DAY),
      })),
    )
  await sales(24, FORD, n => 512_345 + 10_137 * (n % 9))
  await sales(14, LAPTOP, n => 8_725 + 313 * n)
  await sales(
    14,
    { title: 'Thunderbolt cable adapter', category: 'electronics' },
    n => 1_013 + 7 * n,
  )
  for (const word of 'Pump Ladder Drill Microscope Tractor Radio Vest Boat Pallet Bicycle'.split(
    ' ',
  ))
    await sales(8, { title: `${word} number`, category: 'other' }, n => 10_000 + 997 * n)
  const ids = await insertLots(
    api.sql,
    [...LOTS, ...ENDED].map(lot => ({ ...HUNTSVILLE, ...lot })),
  )
  const [sold, seen] = ids.slice(LOTS.length)
  for (const lot_id of [sold!, seen!]) {
    await api.sql`
      insert into estimates (lot_id, day, estimated_value_cents, likely_low_cents, likely_high_cents, range_low_cents, range_high_cents)
      values (${lot_id}, '2026-11-19', 541_234, 400_000, 700_000, 200_000, 900_000)`
    await api.sql`
      insert into limits (lot_id, day, limit_cents, grade)
      values (${lot_id}, '2026-11-19', 350_000, 'comparables')`
  }
  await rescore(api.sql, { now: NOW })
  await outdateAnswers(api.sql)
  rows = (await api.read('/api/v1/listings?group=none&per_page=50')).data
  visitor = await api.signedIn('reader@example.com')
  await visitor.submit('/account/costs', { form_token: visitor.formToken(), ...costs })
}, 60_000)

describe('one lot, everywhere', () => {
  it('is a truck with room, one past its limit, one past its value, one at its limit, goods, a house and one without a value', () => {
    const verdicts = Object.fromEntries(
      rows.map(row => [row.bidprowl_url.split('/').at(-1), row.verdict]),
    )
    expect(verdicts).toEqual({
      room: 'room',
      'past-limit': 'past',
      'past-value': 'past',
      'at-limit': 'at_limit',
      laptop: 'room',
      cable: 'room',
      chairs: null,
      house: null,
      odd: null,
    })
  })

  it('has its amounts on its page, for strangers and for a buyer with costs of their own', async () => {
    for (const { slug } of [...LOTS, ...ENDED]) {
      for (const html of [
        (await readPage(`${api.address}/listings/${slug}`)).html,
        (await visitor.open(`/listings/${slug}`)).body,
      ]) {
        const [lot = '', others = ''] = html.split('<section aria-labelledby="similar"')
        // The columns of a table are read by their lines.
        const table = /<summary>What it costs you<\/summary>.*?<\/details>/s.exec(lot)?.[0] ?? ''
        read(slug, wordsOf(lot.replace(/<table>.*?<\/table>/gs, '')), 'page')
        for (const [part] of lot.matchAll(/<tr>.*?<\/tr>/gs))
          if (!table.includes(part)) read(slug, wordsOf(part), 'page')
        for (const [, label = ''] of lot.matchAll(/aria-label="([^"]*)"/g))
          read(slug, label, 'page')
        const [, description = ''] = /<meta name="description" content="([^"]*)"/.exec(html) ?? []
        readWhole(slug, description.replaceAll(': ', ' '), 'description')
        readCards(others, 'similar lots')
      }
    }
    expect(namesAt('page', 'room').toSorted()).toEqual([
      'limit',
      'next bid',
      'price',
      'typical price',
      'your limit',
    ])
    for (const slug of ['sold', 'seen'])
      expect(namesAt('page', slug)).toEqual(['limit', 'said', 'price'])
    expect(namesAt('page', 'pending')).toEqual(['price'])
    expect(namesAt('page', 'past-value')).toEqual(['price', 'estimate'])
  })

  it('has them on cards in every layout, on the front page, by state, category and item', async () => {
    const places = [
      '/',
      '/search?group=none&per_page=50',
      '/search?view=compact&group=none&per_page=50',
    ]
    places.push(
      '/search?q=ford&group=none',
      '/lots/alabama',
      '/lots/vehicles',
      '/lots/alabama/vehicles',
    )
    places.push('/prices/ford-f-150', '/prices/ford-f-150/2014', '/prices')
    for (const place of places) {
      const { html, status } = await readPage(api.address + place)
      expect([place, status]).toEqual([place, 200])
      readCards(html, place)
    }
    expect(namesAt(places[1]!, 'room')).toEqual(['limit', 'price'])
    expect(namesAt('/search?q=ford&group=none', 'past-limit')).toEqual(['limit', 'price'])
  })

  it('has them in feeds, mails, webhooks, answers and files, and none in a calendar', async () => {
    const rss = (await readPage(`${api.address}/feeds/listings.rss`)).html
    for (const [item] of rss.matchAll(/<item>.*?<\/item>/gs))
      readWhole(/listings\/([\w-]+)/.exec(item)![1]!, wordsOf(item), 'rss')
    const json = JSON.parse((await readPage(`${api.address}/feeds/listings.json`)).html)
    for (const { url, content_text } of json.items)
      readWhole(url.split('/').at(-1), content_text, 'json feed')
    const receiver = await startReceiver()
    const account = await insertAccount(api.sql)
    const secret = newSigningSecret()
    const endpoint = await insertEndpoint(api.sql, account, {
      url: receiver.url,
      secret,
      created_at: NOW,
    })
    const [search] = await insertSearches(api.sql, [
      { account_id: account, kinds: ['new'], cadence: 'instant', by_mail: false },
    ])
    for (const { id, bidprowl_url } of rows) {
      const slug = bidprowl_url.split('/').at(-1)!
      const { text, html } = await mailAbout(api.sql, id)
      const [, mailed = ''] = /\/listings\/([\w-]+)/.exec(text) ?? []
      expect(mailed).toBe(slug)
      readWhole(slug, text, 'mail')
      readWhole(slug, wordsOf(html!), 'html mail')
      await api.sql`
        with match as (
          insert into alert_matches
            (search_id, lot_id, kind, value, current_bid_cents, num_bids, ends_at, observed_at, matched_at)
          values (${search!}, ${id}, 'new', '1', 1, 1, ${NOW}, ${NOW}, ${NOW})
          returning id
        )
        insert into alert_deliveries (id, account_id, search_id, match_id, endpoint_id, kind, created_at, due_at)
        select ${randomUUID()}, ${account}, ${search!}, id, ${endpoint}, 'match', ${NOW}, ${NOW}
        from match`
      const ics = await readPage(`${api.address}/listings/${slug}/end.ics`)
      expect([slug, /\$\d/.exec(ics.html)]).toEqual([slug, null])
    }
    await deliverAt(api.sql, NOW)
    await receiver.end()
    for (const { body } of receiver.received) readFields(JSON.parse(body).data.listing, 'webhook')
    for (const row of rows) readFields(row as never, 'api')
    const { text } = await api.get('/api/v1/export')
    const [head = '', ...lines] = text.trim().split('\r\n')
    const cells = (line: string) =>
      line.match(/("([^"]|"")*"|[^,]*)(,|$)/g)!.map(cell => cell.replace(/,$/, ''))
    for (const line of lines) {
      const row = cells(line)
      readFields(Object.fromEntries(cells(head).map((name, n) => [name, row[n]])), 'csv')
    }
    for (const place of ['rss', 'json feed', 'mail', 'html mail', 'webhook', 'api', 'csv'])
      expect([place, namesAt(place, 'room').slice(0, 2)]).toEqual([
        place,
        ['limit', 'typical price'],
      ])
  })

  it('has them in the texts of tools, for every plan', async () => {
    for (const plan of ['free', 'pro'] as const) {
      const key = await api.makeKey(plan)
      const page = (
        await callTool(api, 'search_listings', { group: 'none', per_page: 50 }, { key })
      ).text
      for (const entry of page.split('\n- ').slice(1))
        readWhole(/listings\/([\w-]+)/.exec(entry)![1]!, entry, `${plan} search_listings`)
      for (const { id, bidprowl_url } of rows) {
        const slug = bidprowl_url.split('/').at(-1)!
        const lot = await callTool(api, 'get_listing', { id }, { key })
        readWhole(
          slug,
          /^worth: (.*)$/m.exec(lot.text)?.[1]?.replace(/half of.*? at .*?\.( |$)/, '') ?? '',
          'tools',
        )
        const score = await callTool(api, 'flip_score', { id }, { key })
        readWhole(slug, score.text.replace(/half of.*? at .*?\.( |$)/, ''), 'tools')
        const comps = await callTool(api, 'sold_comps', { listing_id: id, buyer: costs }, { key })
        read(slug, comps.text.split('\n')[0]!, 'tools')
      }
    }
    expect(namesAt('pro search_listings', 'room')).toEqual(namesAt('free search_listings', 'room'))
    expect(namesAt('tools', 'room').toSorted()).toEqual(['limit', 'price', 'typical price'])
  })

  it('has them on the pages of an account: saved searches, a watched lot, and trips', async () => {
    const [{ id: account_id }] = await api.sql<[{ id: number }]>`
      select id from accounts where owner = 'reader@example.com'`
    const room = rows.find(({ verdict }) => verdict === 'room')!
    const [search, watch] = await insertSearches(api.sql, [
      { account_id, name: 'Fords', query: { q: 'ford' }, kinds: ['new'], cadence: 'daily' },
      { account_id, name: 'One', lot_id: room.id, kinds: ['bid'], cadence: 'daily' },
    ])
    const pages = [
      '/account/alerts',
      `/account/alerts/${search}`,
      `/account/alerts/${watch}`,
      '/account/trips',
    ]
    for (const path of pages) {
      const { body } = await visitor.open(path)
      for (const [line] of body.matchAll(/<li>(?:(?!<li>).)*?<\/li>/gs)) {
        const slug = /\/listings\/([\w-]+)/.exec(line)?.[1]
        if (slug)
          readWhole(slug, wordsOf(line.replace(/<h2>.*?<\/p>/s, '')).replaceAll(' :', ''), path)
      }
    }
    expect(namesAt('/account/trips', 'room')).toEqual(['limit without the drive'])
  })

  it('has one number for each name, written in one way, to two digits where it is no bid', () => {
    for (const [slug, found] of said)
      for (const [name, amounts] of found) {
        const ways = new Map(amounts.map(({ written, place }) => [written, place]))
        expect([slug, name, ...ways]).toEqual([slug, name, expect.anything()])
        if (!ROUNDED.includes(name)) continue
        const { cents } = amounts[0]!
        expect([slug, name, cents]).toEqual([slug, name, Number(cents.toPrecision(2))])
      }
  })

  it('rounds limits down', async () => {
    for (const { id, bidprowl_url, limit_cents } of rows) {
      if (limit_cents === null) continue
      const slug = bidprowl_url.split('/').at(-1)!
      const { data } = await api.read(`/api/v1/comps?listing_id=${id}`)
      const exact = data.appraisal.max_bid_cents
      const { cents } = said.get(slug)!.get('limit')![0]!
      expect([slug, cents <= exact, cents > 0.9 * exact]).toEqual([slug, true, true])
    }
  })
})
