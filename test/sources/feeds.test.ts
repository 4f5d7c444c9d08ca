import { beforeAll, describe, expect, it } from 'vitest'
import { columnsOf, type FeedEntry, feedLot, isOffered } from '../../src/domain/feeds/feedEntry.ts'
import { PORTAL_FEEDS, parseFeedEntry } from '../../src/infra/sources/feeds.ts'
import { OFFICIAL_SOURCES } from '../../src/infra/sources/registry.ts'
import { stageOffered } from '../../src/usecases/ingestion/stageLot.ts'
import { ingestionFor } from '../support/ingestion/ingestion.ts'
import { NOW } from '../support/ingestion/ingestionClock.ts'
import { forOneTest, shared } from '../support/run/shared.ts'
import {
  addressAt,
  fixtureOf,
  idColumn,
  PORTAL_FAULTS,
  startPortalStandIn,
  withPeople,
} from '../support/standIns/portalStandIns.ts'
import { json, startStandIn } from '../support/standIns/standIn.ts'
import { sweep } from '../support/standIns/sweeping.ts'
import { rowsAskedOf } from '../support/standIns/sweptWorld.ts'

const ingestion = ingestionFor('all tests')
const LATER = new Date(NOW.getTime() + 3_600_000)
const lotsOf = ({ key }: FeedEntry) => ingestion.sql`
  select to_jsonb(lots) as lot from lots where source = ${key} order by source_id`
const feedOf = (key: string) => PORTAL_FEEDS.find(feed => feed.key === key)!
const HUD = feedOf('hud')
/**
 * The first entry of each portal and kind. How an answer is read depends on the portal alone, so the
 * first of each portal meets every fault; what a refusal or a smaller offer means depends on the
 * kind too.
 */
const FIRST_OF_EACH = PORTAL_FEEDS.filter(
  feed =>
    feed === PORTAL_FEEDS.find(({ portal, kind }) => portal === feed.portal && kind === feed.kind),
)

describe.each(PORTAL_FEEDS)('the feed $key', feed => {
  const portal = shared(() => startPortalStandIn(feed))
  const { first, rows } = fixtureOf(feed)
  const fetchFeed = (now = NOW) => sweep(ingestion, feed.key, addressAt(portal, feed), { now })
  beforeAll(() => {
    portal.rows = [...rows, { ...rows[0], [feed.order!]: 99, [idColumn(feed)]: null }].map(row =>
      withPeople(feed, row),
    )
  })

  it('gives its rows as lots, and neither requests nor stores any other column', async () => {
    const result = await fetchFeed()
    const counted = { rows_taken: rows.length, rows_set_aside: 1, new_sources: [] }
    expect(result).toMatchObject({ state: 'done', ...counted })
    const [{ lot } = {}] = await lotsOf(feed)
    const times = Object.fromEntries(
      ['sold_at', 'ends_at', 'starts_at'].map(name => [
        name,
        lot[name]?.replace('+00:00', 'Z') ?? null,
      ]),
    )
    expect({ ...lot, ...times }).toMatchObject(first)
    const asksForRows = portal.asked.filter(({ url: { search } }) =>
      /select|outFields/.test(search),
    )
    for (const { url } of asksForRows.filter(({ url }) => !url.search.includes('count'))) {
      const asked = url.searchParams.get('$select') ?? url.searchParams.get('outFields')
      expect(asked).toBe(columnsOf(feed).join(','))
    }
    const stored = await ingestion.sql`
      select string_agg(lots::text, '') || (select string_agg(set_aside_rows::text, '') from set_aside_rows) as text from lots`
    expect(stored[0]?.text).not.toContain('PLANTED')
  })

  const isFirstOfPortal = feed === PORTAL_FEEDS.find(({ portal }) => portal === feed.portal)
  const faults = isFirstOfPortal ? PORTAL_FAULTS : (['status500', 'noRows', 'cut'] as const)

  if (FIRST_OF_EACH.includes(feed))
    it(`changes nothing after any of ${faults.length} faults, or with under half of its offer`, async () => {
      const before = await lotsOf(feed)
      for (const fault of faults) {
        portal.fault = fault
        const { state, reason } = await fetchFeed(LATER)
        expect([fault, state, reason === null]).toEqual([fault, 'refused', false])
      }
      const reasons = await ingestion.sql`select string_agg(reason, '') as text from loads`
      expect(reasons[0]?.text).not.toContain('PLANTED')
      portal.fault = null
      portal.rows = portal.rows.slice(0, 1)
      const { state } = await fetchFeed(LATER)
      // Sales stay when their table forgets them.
      if (feed.kind === 'sold') expect(state).toBe('done')
      else expect([state, await lotsOf(feed)]).toEqual(['refused', before])
      expect(await lotsOf(feed)).toHaveLength(before.length)
    })
})

describe('a portal', () => {
  it('may flag rows that it does not show', () => {
    const feed = feedOf('york-tax-auction')
    const offered = [null, 'No', 'Yes', 1].map(SOLD => isOffered(feed, { SOLD }, NOW))
    expect(offered).toEqual([true, true, false, false])
  })

  it('is read to its end, however few rows a page holds, and when it announces more than it has', async () => {
    const portal = await forOneTest(startPortalStandIn(HUD))
    const numbered = (n: number) => ({ OBJECTID: n + 1, CASE_NUM: `099-${100_000 + n}` })
    portal.rows = Array.from({ length: 25 }, (_, n) => ({ ...portal.rows[0], ...numbered(n) }))
    portal.pageRows = 10
    const result = await sweep(ingestion, 'hud', addressAt(portal, HUD), { now: LATER })
    expect(result).toMatchObject({ state: 'done', lots_new: 25, lots_withdrawn: 0 })
    const pages = portal.asked.filter(({ url }) => url.searchParams.has('where'))
    expect(pages).toHaveLength(3)
    const announces = await forOneTest(
      startStandIn(({ url }) => {
        const isFirst = / > -1$/.test(url.searchParams.get('where')!)
        const features = isFirst ? portal.rows.map(attributes => ({ attributes })) : []
        return json({ features, exceededTransferLimit: isFirst })
      }),
    )
    const again = await sweep(ingestion, 'hud', `${announces.origin}/1`)
    expect(again).toMatchObject({ rows_taken: 25, lots_changed: 0 })
  })

  it('is staged while it is read, and one that breaks off at its last page has failed and changes nothing', async () => {
    const PAGES = 6
    const [row] = fixtureOf(HUD).rows
    const staged: Promise<{ rows: number }>[] = []
    let isBroken = true
    const portal = await forOneTest(
      startStandIn(({ url }) => {
        if (!url.searchParams.has('where')) return json({})
        const [, last] = / > (-?\d+)$/.exec(url.searchParams.get('where')!)!
        const first = Math.max(0, Number(last))
        const page = first / 10 + 1
        // The session of the sweep has the stage.
        staged.push(
          ingestion.sql`select count(*)::integer as rows from staged`.then(
            ([found]) => found as never,
          ),
        )
        if (isBroken && page === PAGES) return { status: 500 }
        const features = Array.from({ length: 10 }, (_, n) => ({
          attributes: {
            ...row,
            OBJECTID: first + n + 1,
            CASE_NUM: `099-${200_000 + first + n}`,
            ADDRESS: `${first + n} Other Street`,
          },
        }))
        return json({ features, exceededTransferLimit: page < PAGES })
      }),
    )
    const before = await lotsOf(HUD)
    expect(await sweep(ingestion, 'hud', `${portal.origin}/1`, { now: LATER })).toMatchObject({
      state: 'refused',
      reason: expect.stringContaining('500'),
      rows_read: 0,
      sources: [],
    })
    const counts = (await Promise.all(staged)).map(({ rows }) => rows)
    expect(counts).toHaveLength(PAGES)
    expect(counts.at(-1)).toBeGreaterThanOrEqual(10 * (PAGES - 2))
    expect(await lotsOf(HUD)).toEqual(before)
    const [failed] = await ingestion.sql`select failures, outcome from sweeps where source = 'hud'`
    expect(failed).toEqual({ failures: 1, outcome: 'refused' })
    isBroken = false
    const whole = await sweep(ingestion, 'hud', `${portal.origin}/1`, { now: LATER })
    expect(whole).toMatchObject({ state: 'done', lots_new: 10 * PAGES })
  })

  it('may write its columns in another case, send all rows at once, and move to a host that the entry names', async () => {
    const { rows } = fixtureOf(feedOf('seattle'))
    const many = Array.from({ length: 1100 }, (_, n) => ({ ...rows[0], equip_id: `all-${n}` }))
    const shouted = many.map(row =>
      Object.fromEntries(Object.entries(row).map(([name, value]) => [name.toUpperCase(), value])),
    )
    const moved = await startStandIn(({ url }) =>
      json(url.searchParams.get('$offset') === '0' ? shouted : []),
    )
    const old = await startStandIn(({ url }) => ({
      status: 301,
      headers: { location: `${moved.origin}/resource/y6ef-jf2w.json${url.search}` },
    }))
    const allowed = { redirectHosts: [moved.host] }
    const result = await sweep(
      ingestion,
      'seattle',
      `${old.origin}/resource/y6ef-jf2w.json`,
      allowed,
    )
    expect(result).toMatchObject({ state: 'done', lots_new: 1100 })
    expect(rowsAskedOf(moved)).toHaveLength(2)
    await Promise.all([old.close(), moved.close()])
  })
})

describe('a cell', () => {
  const source = OFFICIAL_SOURCES.norfolk!
  const [sale] = fixtureOf(feedOf('norfolk')).rows
  const staged = (change: object) => stageOffered(source, [{ ...sale, ...change }], 0, NOW)

  it.each([
    ['sold_for', '$1,200.00', { final_bid_cents: 120_000 }],
    ['sold_for', '$ 1,500', { final_bid_cents: 150_000 }],
    ['sold_for', 33.333_333, { final_bid_cents: 3333 }],
    [
      'sold_for',
      -500,
      { reason: 'sold_for must be US dollars with at most two decimals, not "-500".' },
    ],
    ['sold_for', 'N/A', undefined],
    ['auction_date', 1_759_276_800, { ends_at: '2025-10-02T03:59:59Z' }],
    ['auction_date', '1759276800000', { ends_at: '2025-10-02T03:59:59Z' }],
    ['auction_date', '10/1/2025', { ends_at: '2025-10-02T03:59:59Z' }],
    ['vehicle_make', 'n/a', { title: expect.not.stringContaining('n/a') }],
    ['vehicle_make', 'call jane@example.com', { title: expect.not.stringContaining('jane') }],
  ])('%s of %j is understood', (column, value, expected) => {
    const [row] = staged({ [column]: value })
    if (expected) expect(row).toMatchObject(expected)
    else expect(row).toBeUndefined()
  })

  it.each([
    ['https://www.cityofgadsden.com', undefined, 'https://www.cityofgadsden.com/lot/7'],
    ['https://www.cityofgadsden.com@evil.example', undefined, null],
    ['https://evil.example', undefined, null],
    ['https://lots.example', ['lots.example'], 'https://lots.example/lot/7'],
    ['https://www.cityofgadsden.com', ['lots.example'], null],
  ])(
    'of a link to %s, with the hosts %j, leads there or to the page of its feed',
    (host, link_hosts, link) => {
      const feed = feedOf('gadsden-land-bank')
      const [row] = fixtureOf(feed).rows
      const entry = parseFeedEntry({ ...feed, ...(link_hosts && { link_hosts }) })
      expect(feedLot(entry, { ...row, proplink: `${host}/lot/7` }).source_url).toBe(
        link ?? feed.homepage,
      )
    },
  )

  it('that state facts of a vehicle are read, by the words of their codes', () => {
    const feed = feedOf('gadsden-land-bank')
    const [row] = fixtureOf(feed).rows
    const lot = {
      ...feed.lot,
      odometer_miles: '{odometer}',
      engine_hours: '{hours}',
      runs: '{runs}',
      road_title: '{title}',
    }
    const entry = parseFeedEntry({ ...feed, lot, words: { runs: { Y: 'true', N: 'false' } } })
    const cells = { ...row, odometer: '98,765', hours: 1234.5, runs: 'N', title: true }
    expect(feedLot(entry, cells)).toMatchObject({
      odometer_miles: 98_765,
      engine_hours: 1234.5,
      runs: false,
      road_title: true,
      open_recall: null,
    })
  })

  it('that holds more than a value gives nothing of it away', () => {
    const [row] = staged({ vehicle_make: { name: 'PLANTED' }, vehicle_year: ['PLANTED'] })
    expect(row).toMatchObject({ title: 'CIVIC Auto' })
    expect(JSON.stringify(row)).not.toContain('PLANTED')
  })
})

it('an outline of 200,000 corners has a middle', () => {
  const ring = Array.from({ length: 200_000 }, (_, n) => [-86 - (n % 3), 34 + (n % 3)])
  const record = { attributes: {}, geometry: { rings: [ring] } }
  expect(OFFICIAL_SOURCES['gadsden-land-bank']!.fieldsOf(record)).toMatchObject({
    '@longitude': -87,
    '@latitude': 35,
  })
})

describe('an entry', () => {
  it('has a key of its own, a time zone and columns', () => {
    expect(new Set(PORTAL_FEEDS.map(({ key }) => key)).size).toBe(PORTAL_FEEDS.length)
    expect(PORTAL_FEEDS.length).toBeGreaterThanOrEqual(18)
    expect(PORTAL_FEEDS.map(parseFeedEntry)).toEqual(PORTAL_FEEDS)
    for (const { license, redistribute } of PORTAL_FEEDS)
      expect(redistribute).toBe(license !== null)
  })

  it.each<[string, object, RegExp]>([
    ['without a title', { lot: { id: '{a}' } }, /\/lot must have required property 'title'/],
    ['with an unknown field', { colour: 'red' }, /additional properties: colour/],
    ['of a sale without a price', { kind: 'sold', basis: 'awarded' }, /required property 'price'/],
    [
      'with two columns for an end',
      { lot: { ...HUD.lot, end: '{a} {b}' } },
      /end must be one column/,
    ],
    [
      'of another kind',
      { kind: 'auction' },
      /\/kind must be equal to one of the allowed values: sold, live,/,
    ],
    [
      'at the page of a table',
      { address: 'https://a.gov/d/abcd-1234' },
      /\/address must be the address of a layer/,
    ],
    [
      'with people',
      { lot: { ...HUD.lot, city: '{OwnerName} {mail_zip}' } },
      /OwnerName, mail_zip looks? like/,
    ],
    ['in no time zone', { zone: 'Mars/Base' }, /"Mars\/Base" is no time zone/],
  ])('%s is refused with a sentence', (_, change, reason) => {
    expect(() => parseFeedEntry({ ...HUD, ...change })).toThrow(reason)
  })
})
