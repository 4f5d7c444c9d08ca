import { describe, expect, it } from 'vitest'
import { ingestionFor } from '../support/ingestion/ingestion.ts'
import { NOW } from '../support/ingestion/ingestionClock.ts'
import { gsaLot, gsaLots } from '../support/standIns/gsaLots.ts'
import { type GsaFault, gsaStandInFor } from '../support/standIns/gsaStandIn.ts'
import { MANNERS, sweep } from '../support/standIns/sweeping.ts'

const gsa = gsaStandInFor()
const ingestion = ingestionFor('each test')

function fetchGsa(more: Parameters<typeof sweep>[3] = {}) {
  const from = { key: gsa.key, redirectHosts: ['127.0.0.1'], ...more }
  return sweep(ingestion, 'gsa', `${gsa.api.origin}/assets/gsaauctions/v2/auctions`, from)
}

async function lot(source_id: string) {
  const [found] = await ingestion.sql`
    select
      source_id, title, description, category, state, city, zip, latitude, current_bid_cents, starting_bid_cents,
      num_bids, condition_grade, image_url, source_url, bid_increment_cents, auction_id, auction_name, rfc3339(starts_at) as starts, rfc3339(ends_at) as ends
    from lots
    where source = 'gsa' and source_id = ${source_id}`
  return found
}

describe('GSA Auctions', () => {
  it('is fetched with one call and one redirect, under our name, and the key stays with the first host', async () => {
    const result = await fetchGsa()
    expect(result).toMatchObject({
      state: 'done',
      feed: 'gsa',
      rows_read: 20,
      rows_taken: 20,
      lots_new: 20,
    })
    expect(
      gsa.api.asked.map(({ method, url }) => [
        method,
        url.pathname,
        url.searchParams.get('format'),
      ]),
    ).toEqual([['GET', '/assets/gsaauctions/v2/auctions', 'JSON']])
    expect(gsa.api.asked[0]?.headers).toMatchObject({
      'x-api-key': gsa.key,
      'user-agent': MANNERS.userAgent,
    })
    expect(gsa.files.asked).toHaveLength(1)
    expect(gsa.files.asked[0]?.headers['user-agent']).toBe(MANNERS.userAgent)
    expect(JSON.stringify(gsa.files.asked[0])).not.toContain(gsa.key)
  })

  it('becomes lots: Central days as instants, cents, bidders, condition, and the place of the property', async () => {
    gsa.lots = [
      gsaLot(4, { aucEndDt: '2027-07-01', highBidAmount: 1234.5, aucIncrement: 100 }),
      ...gsaLots(3),
    ]
    await fetchGsa()
    expect(await lot('3-1-QSC-I-27-006-004')).toMatchObject({
      title: '2014 Ford F-150 XL Pickup Truck 4',
      category: 'vehicles',
      state: 'IL',
      city: 'Springfield',
      zip: '62703',
      current_bid_cents: 123_450,
      starting_bid_cents: null,
      num_bids: 4,
      condition_grade: 'usable',
      image_url: 'https://www.ppms.gov/gw/auction/ppms/api/v1/auction/image/31QSCI27006004.jpg',
      source_url: 'https://www.gsaauctions.gov/auctions/preview/378004',
      starts: '2026-11-10T06:00:00Z',
      bid_increment_cents: 10_000,
      auction_id: 'gsa-3-1-qsc-i-27-006',
      auction_name: '3-1-QSC-I-27-006',
      ends: '2027-07-02T04:59:59Z',
    })
    const texan = await lot('3-1-QSC-I-27-006-001')
    const austin = { state: 'TX', city: 'Austin', zip: '78701-1234' }
    expect(texan).toMatchObject({ ...austin, condition_grade: 'repairable' })
    expect(texan?.latitude).toBeCloseTo(30.27, 1)
    const island = { state: 'PR', zip: '00918', condition_grade: 'new' }
    expect(await lot('3-1-QSC-I-27-006-003')).toMatchObject(island)
  })

  it('is the same for keys in any case, and twice the same is stored once', async () => {
    await fetchGsa()
    const stored = await ingestion.everything()
    const capital = ([key, value]: [string, unknown]) => [
      key[0]!.toUpperCase() + key.slice(1),
      value,
    ]
    gsa.lots = gsaLots(20).map(one => Object.fromEntries(Object.entries(one).map(capital))) as never
    expect(await fetchGsa()).toMatchObject({
      state: 'done',
      lots_new: 0,
      lots_changed: 0,
      lots_withdrawn: 0,
    })
    expect(await ingestion.everything()).toEqual(stored)
  })

  it('leaves nothing of a person in the database, not even in rows that are set aside', async () => {
    gsa.lots = [...gsaLots(5), gsaLot(6, { itemName: '' })]
    await fetchGsa()
    const [kept] = await ingestion.sql`
      select (select json_agg(lots)::text from lots) || (select json_agg(set_aside_rows)::text from set_aside_rows) as text`
    expect(kept?.text).toContain('pieces, 15 EA & more')
    expect(kept?.text).not.toMatch(/Vance|Holt|casey|robin|555-0142|5550199|@agency|62703null/)
    expect((await lot('3-1-QSC-I-27-006-001'))?.description).toMatch(/Removal within ten days/)
  })

  it('holds a lot as a sealed bid by the number of its sale alone', async () => {
    gsa.lots = [gsaLot(1), gsaLot(2, { saleNo: '2-1-QSC-S-26-002', aucIncrement: null })]
    await fetchGsa()
    const conditions = await ingestion.sql`select bid_conditions from lots order by source_id`
    expect(conditions.map(row => row.bid_conditions)).toEqual([['sealed_bid'], []])
  })

  it('counts a lot in preview as upcoming, whatever its start, until the status changes', async () => {
    gsa.lots = [
      gsaLot(1, { auctionStatus: 'Preview', aucStartDt: '2026-11-10' }),
      gsaLot(2, { auctionStatus: ' preview ', aucStartDt: null }),
      gsaLot(3, { auctionStatus: 'Preview', aucStartDt: '2026-11-23' }),
      gsaLot(4, { auctionStatus: 'ACTIVE', aucStartDt: null }),
    ]
    const standing = () => ingestion.sql`
      select lot_status(outcome, starts_at, ends_at, ${NOW}) as status, rfc3339(starts_at) as starts
      from lots
      order by source_id`
    await fetchGsa()
    expect(await standing()).toEqual([
      { status: 'upcoming', starts: null },
      { status: 'upcoming', starts: null },
      { status: 'upcoming', starts: '2026-11-23T06:00:00Z' },
      { status: 'live', starts: null },
    ])
    gsa.lots = gsa.lots.map(one => ({ ...one, auctionStatus: 'Active' }))
    await fetchGsa()
    expect((await standing()).slice(0, 2)).toEqual([
      { status: 'live', starts: '2026-11-10T06:00:00Z' },
      { status: 'live', starts: null },
    ])
  })
})

describe('GSA Auctions fails, changes nothing and says why', () => {
  const faults: [GsaFault, RegExp, number][] = [
    ['nok', /no lots to give.*NO RECORDS FOUND/, 1],
    ['truncated', /cut off/, 1],
    ['cut', /connection ended before the answer did|is unreachable/, 1],
    ['blockPage', /web page \(“Access Denied”\), not data/, 1],
    ['forbidden', /answered 403\./, 1],
    ['busy', /answered 429 and asks for a wait of 1 s\. It answered the same/, 2],
    ['busyForLong', /answered 429 and asks for a wait of 3600 s/, 1],
    ['slow', /is unreachable \(timed out after 0\.5 s\)/, 1],
    ['half', /9 live rows of gsa.*broken fetch/, 1],
    ['expired', /signed address of the file has expired/, 1],
    ['emptyBody', /answer is empty/, 1],
  ]
  it.each(faults)('%s', async (fault, reason, calls) => {
    await fetchGsa()
    const { lots, sources } = (await ingestion.everything()) as Record<string, unknown>
    gsa.api.asked.length = 0
    gsa.fault = fault
    const result = await fetchGsa(fault === 'slow' ? { manners: { timeoutMs: 500 } } : {})
    expect(result).toMatchObject({ state: 'refused', rows_taken: 0, rescored: null })
    expect(result.reason).toMatch(reason)
    expect(result.reason).not.toMatch(/Signature=|test-key/)
    expect(gsa.api.asked).toHaveLength(calls)
    expect(await ingestion.everything()).toMatchObject({ lots, sources })
    const [load] =
      await ingestion.sql`select feed, state, reason from loads where id = ${result.load_id}`
    expect(load).toEqual({ feed: 'gsa', state: 'refused', reason: result.reason })
    expect(result.retry_after_seconds).toBe({ busy: 1, busyForLong: 3600 }[fault as string] ?? null)
  })

  it('when the key is wrong', async () => {
    expect((await fetchGsa({ key: 'wrong' })).reason).toMatch(/answered 403\. The key is wrong/)
  })

  it('when nobody listens', async () => {
    const result = await sweep(ingestion, 'gsa', 'http://127.0.0.1:9/auctions')
    expect(result.reason).toMatch(/^127\.0\.0\.1:9 is unreachable/)
  })
})

it('waits once when it is asked to wait a little, and then has the lots', async () => {
  gsa.fault = 'busyOnce'
  const started = performance.now()
  expect(await fetchGsa()).toMatchObject({ state: 'done', lots_new: 20, retry_after_seconds: null })
  expect(performance.now() - started).toBeGreaterThan(990)
  expect(gsa.api.asked).toHaveLength(2)
})
