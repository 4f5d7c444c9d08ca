import { gzipSync } from 'node:zlib'
import { beforeEach, describe, expect, it } from 'vitest'
import type { FetchManners } from '../../src/infra/fetching/politeFetch.ts'
import { ingestionFor } from '../support/ingestion/ingestion.ts'
import { gsaLot, gsaLots } from '../support/standIns/gsaLots.ts'
import { type Asked, json, type Served, standInFor } from '../support/standIns/standIn.ts'
import { sweep } from '../support/standIns/sweeping.ts'

const KEY = 'k3y-<F>-9a77'
let answerOfApi: (asked: Asked) => Served
let answerOfFiles: (asked: Asked) => Served
const ingestion = ingestionFor('each test')
const api = standInFor(asked => answerOfApi(asked))
const files = standInFor(asked => answerOfFiles(asked))
beforeEach(() => {
  answerOfApi = () => sentOn(`${files.origin}/file.json?X-Amz-Signature=abc`)
  answerOfFiles = () => results(gsaLots(4))
})

const sentOn = (location: string, status = 303): Served => ({ status, headers: { location } })
const results = (lots: unknown[]) => json({ Results: lots })
const fetchGsa = (manners: Partial<FetchManners> = {}, address = `${api.origin}/auctions`) =>
  sweep(ingestion, 'gsa', address, { key: KEY, redirectHosts: [files.host], manners })
const stored = () => ingestion.sql`
  select
    source_id, title, description, state, city, zip, num_bids, current_bid_cents, rfc3339(ends_at) as ends,
    lot_status(outcome, starts_at, ends_at, '2026-11-21T12:00:00Z') as status
  from lots
  order by source_id`

describe('the key of GSA Auctions is told to nobody else', () => {
  it('when the redirect repeats it as a parameter: it is left out', async () => {
    answerOfApi = () => sentOn(`${files.origin}/file.json?api_key=${KEY}&X-Amz-Signature=abc`)
    expect(await fetchGsa()).toMatchObject({ state: 'done', lots_new: 4 })
    expect(files.asked[0]?.url.search).toBe('?X-Amz-Signature=abc')
    expect(JSON.stringify(files.asked)).not.toContain(KEY)
  })

  it.each([`/${KEY}/file.json`, `/file.json?next=/auctions%3Fapi_key%3D${KEY}`, `/f;key=${KEY}`])(
    'when the redirect holds it elsewhere (%s): nobody is asked',
    async path => {
      answerOfApi = () => sentOn(files.origin + path)
      const result = await fetchGsa()
      expect(result.reason).toBe(
        `${api.host} redirects to ${files.host} with our key in the address.`,
      )
      expect(files.asked).toHaveLength(0)
    },
  )

  it('when its operator wrote it into the address', async () => {
    answerOfApi = ({ url }) => sentOn(`${files.origin}/file.json${url.search}`)
    expect(await fetchGsa({}, `${api.origin}/auctions?api_key=in-address-1`)).toMatchObject({
      state: 'done',
    })
    expect(api.asked[0]?.url.searchParams.get('api_key')).toBe('in-address-1')
    expect(JSON.stringify(files.asked)).not.toContain('in-address-1')
  })

  it('when the redirect leads back to the same host: that is asked without it', async () => {
    answerOfApi = ({ url }) =>
      url.pathname === '/again' ? results(gsaLots(4)) : sentOn('/again', 302)
    expect(await fetchGsa()).toMatchObject({ state: 'done' })
    expect(api.asked.map(({ headers }) => headers['x-api-key'])).toEqual([KEY, undefined])
  })
})

describe('a redirect of GSA Auctions is not followed', () => {
  const cases: [string, () => string, RegExp][] = [
    [
      'to a foreign host',
      () => 'http://foreign.example/file.json',
      /redirects to foreign\.example/,
    ],
    [
      'to a foreign host, written without a scheme',
      () => '//foreign.example/f',
      /foreign\.example/,
    ],
    ['to nowhere', () => 'http://', /an invalid address/],
    ['to itself, for ever', () => `${api.origin}/auctions`, /at most one redirect is followed/],
  ]
  it.each(cases)('%s', async (_, location, reason) => {
    answerOfApi = () => sentOn(location(), 307)
    const result = await fetchGsa()
    expect(result).toMatchObject({ state: 'refused', lots_new: 0 })
    expect(result.reason).toMatch(reason)
    expect(files.asked).toHaveLength(0)
    expect(api.asked.length).toBeLessThan(3)
  })

  it('a third time', async () => {
    answerOfFiles = () => sentOn(`${files.origin}/third.json`)
    expect((await fetchGsa()).reason).toMatch(/at most one redirect is followed/)
    expect([api.asked.length, files.asked.length]).toEqual([1, 1])
  })
})

describe('a body of GSA Auctions is given up', () => {
  const big = `{"Results": [${' '.repeat(3_000_000)}]}`
  const gzip = { headers: { 'content-encoding': 'gzip' } }
  const deep = `{"Results": [{"saleNo": ${'['.repeat(50_000)}${']'.repeat(50_000)}}]}`
  const cases: [string, () => Served, RegExp][] = [
    [
      'that drips',
      () => ({ body: '{"R":', pieces: { bytes: 1, pauseMs: 300 } }),
      /timed out after 1 s/,
    ],
    [
      'over the cap',
      () => ({ body: big, pieces: { bytes: 500_000, pauseMs: 0 } }),
      /more than 2 MB/,
    ],
    [
      'over the cap once it is unpacked',
      () => ({ body: gzipSync(big), ...gzip }),
      /more than 2 MB/,
    ],
    [
      'that is not packed as it says',
      () => ({ body: '{"Results": []}', ...gzip }),
      /is unreachable/,
    ],
    ['nested deeper than anything has a reason to be', () => ({ body: deep }), /nested/],
    ['of brackets, one inside the other', () => ({ body: '['.repeat(1_900_000) }), /nested/],
    [
      'of brackets, one beside the other',
      () => ({ body: `[${'{},'.repeat(1_000_000)}0]` }),
      /a million/,
    ],
    [
      'of a list of more than a million values',
      () => ({ body: `{"a":[${'0,'.repeat(1_000_001)}0]}` }),
      /a million/,
    ],
    [
      'whose status is no text',
      () => json({ Results: [{ status: { toString: 1 } }] }),
      /None of the 1/,
    ],
    ['without a single result', () => results([]), /There are no rows/],
    ['with one object for a list', () => json({ Results: gsaLot(1) }), /no list of results/],
    ['of nothing but a word', () => ({ body: 'null' }), /no list of results/],
    ['that holds no record', () => results([null, 3, 'x', []]), /None of the 4 rows can be used/],
    [
      'that says NOK in another case',
      () => json({ results: [{ Status: 'nok', Error: 'x' }] }),
      /NOK, "x"/,
    ],
    ['that says NOK with blanks', () => json({ Results: [{ status: ' NOK ' }] }), /NOK/],
  ]
  const manners: Record<string, object> = {
    'that drips': { timeoutMs: 1000 },
    'of brackets, one beside the other': { mostBytes: 4_000_000 },
    'of a list of more than a million values': { mostBytes: 4_000_000 },
  }
  it.each(cases)('%s', async (body, served, reason) => {
    answerOfFiles = served
    const result = await fetchGsa(manners[body])
    expect(result).toMatchObject({ state: 'refused', lots_new: 0 })
    expect(result.reason).toMatch(reason)
    expect([api.asked.length, files.asked.length]).toEqual([1, 1])
  })
})

describe('a refusal of GSA Auctions', () => {
  const soon = (seconds: number) => new Date(Date.now() + seconds * 1000).toUTCString()
  const cases: [string, () => Served, number | null][] = [
    ['names a date', () => busy(soon(600)), 600],
    ['names nonsense', () => busy('-5'), null],
    ['names nothing', () => ({ status: 429, body: 'slow down' }), null],
    ['names seconds with a 403', () => ({ ...busy('900'), status: 403 }), 900],
    ['names seconds with a 503', () => ({ ...busy('900'), status: 503 }), 900],
  ]
  it.each(cases)('that %s is left alone for so long', async (_, served, seconds) => {
    answerOfApi = served
    const result = await fetchGsa()
    expect(result.state).toBe('refused')
    const asked = result.retry_after_seconds
    if (seconds === null) expect(asked).toBeNull()
    else expect(Math.abs((asked ?? 0) - seconds)).toBeLessThan(5)
    expect(api.asked).toHaveLength(1)
  })

  it('that names no second at all is asked once more, a second later', async () => {
    answerOfApi = () => busy('0')
    await fetchGsa()
    expect(api.asked).toHaveLength(2)
    expect(api.asked[1]!.atMs - api.asked[0]!.atMs).toBeGreaterThan(950)
  })

  it('of the signed file is not put down to the key', async () => {
    answerOfFiles = () => ({ status: 403, body: '<Error><Code>AccessDenied</Code></Error>' })
    expect((await fetchGsa()).reason).toBe(`${files.host} answered 403.`)
  })

  function busy(header: string): Served {
    return {
      status: 429,
      headers: { 'retry-after': header },
      body: '{"error":{"code":"OVER_RATE_LIMIT"}}',
    }
  }
})

describe('records of GSA Auctions', () => {
  const padded = {
    propertyCity: 'AUSTIN         ',
    propertyState: 'tx ',
    propertyZip: ' 787011234 ',
  }
  const nulls = { propertyCity: 'null', propertyState: 'NULL', propertyZip: '62703null' }
  const html = 'Size 6&#39; x 4&rsquo;, 20&deg; &ndash; R&amp;D&nbsp;unit &frac12; &lt;new&gt;'
  const plain = "Size 6' x 4’, 20° – R&D unit ½ <new>"
  const piece = (lotSequence: string, lotDescript: string) => ({ lotSequence, lotDescript })
  const taken: [string, Record<string, unknown>, Record<string, unknown>][] = [
    ['padded with blanks', padded, { city: 'Austin', state: 'TX', zip: '78701-1234' }],
    ['with a padded status', { auctionStatus: 'active  ' }, { status: 'live' }],
    ['with numbers as text', { highBidAmount: '1,234.50' }, { current_bid_cents: 123_450 }],
    ['with a count as text', { biddersCount: '3' }, { num_bids: 3 }],
    ['with text as numbers', { propertyZip: 2134, propertyState: 'MA' }, { zip: '02134' }],
    ['with null for a bid', { highBidAmount: null }, { current_bid_cents: null }],
    ['with null for a count', { biddersCount: null }, { num_bids: 0 }],
    ['with "null" for a value', nulls, { city: 'Springfield', state: 'IL', zip: '62703' }],
    [
      'with a blank place',
      { propertyState: '  ', propertyCity: '' },
      { state: 'TX', city: 'Austin' },
    ],
    [
      'with a ZIP that is none',
      { propertyZip: 'null' },
      { zip: null, city: 'Austin', state: 'TX' },
    ],
    [
      'without a picture or with one that cannot be linked',
      { imageURL: 'javascript:alert(1)' },
      {},
    ],
    [
      'with unknown keys',
      { reserve: true, aucIncrement: '25', newThing: { a: [1] }, __proto__x: 1 },
      {},
    ],
    [
      'with HTML in the text',
      { lotInfo: `<p>${html}</p><script>x()</script>` },
      { description: plain },
    ],
    [
      'with numbered pieces',
      { lotInfo: [piece('2', 'b'), piece('1', 'a')] },
      { description: 'a\nb' },
    ],
    ['with a text that is no text', { lotInfo: { a: 1 } }, { description: null }],
    ['without an end', { aucEndDt: null }, { ends: null }],
    ['with a blank end', { aucEndDt: '   ' }, { ends: null }],
    ['that end early', { aucStartDt: '2026-11-24', aucEndDt: '2026-11-23' }, { status: 'live' }],
    ['that end on no day', { aucEndDt: '2026-02-30' }, { ends: null }],
    ['that end in another form', { aucEndDt: '24/11/2026' }, { ends: null }],
    ['without a page', { itemDescURL: null }, { status: 'live' }],
    ['with words for a bid', { highBidAmount: 'call us' }, { current_bid_cents: null }],
    ['with a bid below nothing', { highBidAmount: -5 }, { current_bid_cents: null }],
    ['with bidders that cannot be counted', { biddersCount: 1.5 }, { num_bids: 0 }],
    [
      'with a NUL in the place',
      { propertyCity: 'Aus\0tin', propertyState: 'T\0X' },
      { city: 'Austin' },
    ],
    ['with half a character in the place', { propertyCity: 'Austin\ud800' }, { city: 'Austin' }],
    ['with a NUL in the ZIP', { propertyZip: '787\u000001' }, { zip: null }],
    ['with a NUL in the end', { aucEndDt: '2026-12\0-01' }, { ends: null }],
    ['with a NUL in the text', { lotInfo: 'a\0b' }, { description: 'a b' }],
    [
      'with a contact for a bid',
      { highBidAmount: 'Call Jim Doe 217-555-0142' },
      { current_bid_cents: null },
    ],
  ]
  it('are taken, whatever their form', async () => {
    const rows = taken.map(([, changes], n) => gsaLot(1, { lotNo: `1${n + 10}`, ...changes }))
    answerOfFiles = () => results(rows)
    const result = await fetchGsa()
    expect(result).toMatchObject({ state: 'done', rows_taken: taken.length, rows_set_aside: 0 })
    const unread = result.cells_not_read.map(({ what }) => what).join('\n')
    for (const what of [
      /city not read: Aus/,
      /state not read: T/,
      /zip not read: 787/,
      /end_date not read: 2026-12/,
      /price not read: a text that names a person/,
    ])
      expect(unread).toMatch(what)
    const lots = await stored()
    for (const [n, [form, , expected]] of taken.entries())
      expect(lots[n], form).toMatchObject(expected)
  })

  const setAside: [string, Record<string, unknown>, RegExp][] = [
    ['with a status that nobody knows', { auctionStatus: 'Closed' }, /^auctionStatus must be/],
    ['without a number', { lotNo: null }, /^lotNo is missing/],
    ['with a NUL in the number', { lotNo: '0\u000001' }, /^lotNo contains a NUL/],
    ['with half a character in the number', { saleNo: 'a\ud800' }, /^saleNo contains half/],
    ['with a NUL in the title', { itemName: 'a\u0000b' }, /NUL/],
    ['with a list for a title', { itemName: ['x'] }, /^itemName is missing/],
  ]
  it('are set aside with the reason, and stop no other', async () => {
    const rows = setAside.map(([, changes], n) => gsaLot(1, { lotNo: `1${n + 10}`, ...changes }))
    answerOfFiles = () => results([...rows, ...gsaLots(2)])
    const result = await fetchGsa()
    expect(result).toMatchObject({ state: 'done', rows_taken: 2, rows_set_aside: rows.length })
    for (const [n, [form, , reason]] of setAside.entries())
      expect(result.set_aside[n]?.reason, form).toMatch(reason)
  })

  it('leave no person behind in fields where nobody expects one', async () => {
    const itemName = 'Desk, call 217-555-0142 or casey.holt@agency.example'
    const refused = { highBidAmount: 'ask Robin Q Vance', auctionStatus: 'robin.vance@gsa.example' }
    const named = [
      { propertyCity: 'ROBIN Q VANCE', ...refused },
      { propertyCity: 'Vance, Robin Q' },
    ]
    answerOfFiles = () =>
      results([...named.map((one, n) => gsaLot(n + 1, { itemName, ...one })), gsaLot(3)])
    expect(await fetchGsa()).toMatchObject({ rows_taken: 2, rows_set_aside: 1 })
    const [kept] = await ingestion.sql`
      select (select json_agg(lots)::text from lots) || (select json_agg(set_aside_rows)::text from set_aside_rows) as text`
    expect(kept?.text).not.toMatch(/vance|casey|555-0142|agency\.example/i)
  })
})

it.each(['hud', 'norfolk'] as const)(
  'a series of %s that never ends is given up when a page comes again',
  async source => {
    const attributes = { CASE_STEP_NUMBER: 6, ADDRESS: '1 Test Street', STATE_CODE: 'MA' }
    const homes = [1, 2].map(n => ({
      attributes: { ...attributes, CASE_NUM: `011-${462_000 + n}` },
    }))
    const sales = Array.from({ length: 1000 }, (_, n) => ({
      trip_ticket_number: String(n),
      sold_for: '5',
    }))
    answerOfApi = () =>
      json(source === 'hud' ? { features: homes, exceededTransferLimit: true } : sales)
    const result = await sweep(ingestion, source, `${api.origin}/query`)
    expect(result.reason).toMatch(/same page/)
    expect(api.asked).toHaveLength(2)
  },
)
