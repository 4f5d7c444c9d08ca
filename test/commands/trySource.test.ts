import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { PORTAL_FEEDS } from '../../src/infra/sources/feeds.ts'
import { freshDatabase } from '../support/database/database.ts'
import { runSurplusHere } from '../support/run/commandLine.ts'
import { shared, temporaryFolder } from '../support/run/shared.ts'
import {
  addressAt,
  idColumn,
  startPortalStandIn,
  withPeople,
} from '../support/standIns/portalStandIns.ts'
import { startStandIn } from '../support/standIns/standIn.ts'

const feed = PORTAL_FEEDS.find(({ key }) => key === 'kansas-city-land-bank')!
const database = shared(freshDatabase)
const portal = shared(() => startPortalStandIn(feed))
beforeAll(() => {
  const [first] = portal.rows
  portal.rows.push({ ...first, parcel_number: 'JA-9', available: 'no' })
  portal.rows = portal.rows.map(row => withPeople(feed, row))
})

const folder = temporaryFolder()
const surplus = (...args: string[]) =>
  runSurplusHere(args, {
    DATABASE_URL: database.url,
    FEED_KANSAS_CITY_LAND_BANK_URL: addressAt(portal, feed),
    FETCH_PAUSE_MS: '0',
  })

describe('surplus try-source', () => {
  it('shows what a file with an entry gives, and what it leaves out; the feed stays off', async () => {
    const file = join(folder, 'entry.json')
    writeFileSync(file, JSON.stringify({ ...feed, key: 'mine' }))
    portal.says = { rowsUpdatedAt: 1_741_000_000, license: { name: 'Public Domain' } }
    const { code, stdout } = await surplus('try-source', file, '--address', addressAt(portal, feed))
    expect(stdout).toMatch(
      /^The publisher changed it last on Mar 3, 2025, \d{3,} days ago: it may be out of date\.$/m,
    )
    expect(stdout).toContain('License, as the portal states it: Public Domain.')
    portal.says = {}
    expect([code, stdout]).toEqual([0, expect.stringContaining('JA-1')])
    expect(stdout).toContain(
      '5 rows read where available = true: 4 lots, 1 not on offer, 0 set aside, 0 repeated.',
    )
    expect(stdout).toMatch(/^Not requested: market_value, current_owners, owner_name, .*\.$/m)
    expect(stdout).toMatch(/^column +rows +values +example +in no row$/m)
    expect(stdout).toMatch(/^available +5 +true 4, no 1 +true +yes, active$/m)
    expect(stdout).toMatch(/^zip_code +5 +- +64127 +-$/m)
    expect(stdout).toContain('Assumed until now: order, lot, license.')
    expect(stdout).toMatch(/\nUsable\.\n$/)
    expect(stdout).not.toContain('PLANTED')
  })

  it('turns a feed on that nobody has tried, and only then is it fetched', async () => {
    const off = await surplus('ingest', feed.key)
    expect([off.code, off.stderr]).toEqual([
      1,
      `${feed.key} is off. npx surplus sources says why.\n`,
    ])
    expect((await surplus('try-source', feed.key)).stdout).toContain(`${feed.key} is on`)
    expect((await surplus('ingest', feed.key, '--json')).stdout).toContain('"lots_new": 4')
    const { sources } = JSON.parse((await surplus('sources', '--json')).stdout)
    expect(sources.find(({ source }: { source: string }) => source === feed.key)).toMatchObject({
      is_fetched: true,
      why_off: null,
    })
  })

  it('says why a feed is not usable, one line a reason', async () => {
    const broken = portal.rows.map(row => ({ ...row, asking_price: 'call us' }))
    portal.rows = [...portal.rows.slice(0, 1), ...broken.slice(1)]
    const unpriced = await surplus('try-source', feed.key)
    expect(unpriced.stdout).toContain('3 × price not read: call us (buy_now_cents)')
    expect(unpriced.stdout).toContain('\nUsable.')
    const named = portal.rows
    portal.rows = named.map((row, n) => (n === 0 ? row : { ...row, parcel_number: null }))
    const { code, stdout } = await surplus('try-source', feed.key)
    expect(code).toBe(1)
    expect(stdout).toContain('3 × parcel_number is missing.')
    expect(stdout).toMatch(/Not usable\. More than a tenth of the rows was set aside\.\n$/)
    portal.fault = 'forbidden'
    expect((await surplus('try-source', feed.key)).stdout).toMatch(/Not usable\. .* answered 403/)
    portal.fault = null
    portal.rows = named.map((row, n) => ({
      ...row,
      ...{ asking_price: 1, parcel_number: 'JA-1', address: `${n} Made Up Ave` },
    }))
    expect((await surplus('try-source', feed.key)).stdout).toContain(
      'rows have 1 ids. Correct lot.id.',
    )
    portal.rows = portal.rows.map(({ zip_code, ...row }) => row)
    expect((await surplus('try-source', feed.key)).stdout).toContain(
      'The table has no column zip_code.',
    )
    portal.rows = portal.rows.map(({ address, ...row }) => ({ ...row, zip_code: '64127' }))
    expect((await surplus('try-source', feed.key)).stdout).toContain(
      'The table has no column address. Correct the entry.',
    )
  })

  it.each([
    [['nobody'], /^There is no file and no feed nobody\. Feeds: seattle, /],
    [['package.json'], /^The entry cannot be used: it must have required property/],
  ])('refuses %s with exit code 2', async (args, sentence) => {
    const { code, stderr } = await surplus('try-source', ...args)
    expect([code, stderr]).toEqual([2, expect.stringMatching(sentence)])
  })
})

/** What can stand in a text of a row: each leaves the lot, and nobody. */
const PEOPLE = [
  'Vacant Land. Contact Imogen Quarles at 816-555-0142.',
  'Keys with Bob Quarles ext 4410',
  'Imogen Quarles, Property Specialist, will escort you.',
  'Garage with a car, VIN 1FTFW1EF5EFA12345',
  'Corner lot, e-mail imogen.quarles at example dot gov',
]

describe.each(['kansas-city-land-bank', 'ramsey-tax-forfeit'])(
  'surplus try-source %s --record',
  key => {
    const feed = PORTAL_FEEDS.find(entry => entry.key === key)!
    const setting = `FEED_${key.toUpperCase().replaceAll('-', '_')}_URL`
    const [text, next] = key.startsWith('kansas')
      ? ['property_class', 'address']
      : ['Status', 'Address']
    const original = shared(() => startPortalStandIn(feed))
    const served = shared(() => startStandIn(() => ({ body: readFileSync(file) })))
    const databases = [shared(freshDatabase), shared(freshDatabase)] as const
    const file = join(folder, `${key}.json`)
    const run = (at: string, n: 0 | 1, ...args: string[]) =>
      runSurplusHere(args, { DATABASE_URL: databases[n].url, [setting]: at, FETCH_PAUSE_MS: '0' })
    const loaded = async (at: string, n: 0 | 1) => {
      expect(await run(at, n, 'ingest', key)).toMatchObject({ code: 0 })
      const lots = await databases[n].sql`
      select source_id, title, description, city, state, zip, buy_now_cents, starting_bid_cents, latitude, longitude
      from lots
      order by source_id`
      return [...lots]
    }

    it('writes the page without people, and served again it loads the same lots', async () => {
      const [row] = original.rows
      const planted = PEOPLE.map((words, n) => ({
        ...row,
        ...(feed.portal === 'arcgis' ? { [feed.order!]: 50 + n } : {}),
        [idColumn(feed)]: `P-${n}`,
        [text]: words,
      }))
      original.rows = [...original.rows, ...planted].map(one => withPeople(feed, one))
      const recorded = await run(addressAt(original, feed), 0, 'try-source', key, '--record', file)
      expect(recorded.stderr).toContain(
        `${file} has ${original.rows.length} of ${original.rows.length} rows`,
      )
      expect(readFileSync(file, 'utf8')).not.toMatch(
        /PLANTED|quarles|imogen|555-|4410|1FTFW1EF5EFA|example/i,
      )
      const lots = await loaded(addressAt(original, feed), 0)
      const again = `${served.origin}${new URL(feed.address).pathname}`
      await run(again, 1, 'try-source', key)
      expect(await loaded(again, 1)).toEqual(lots)
      expect(lots).toHaveLength(original.rows.length)
    })

    it('leaves out a row in which only two cells together name a person', async () => {
      const across = { ...original.rows[0], [next]: 'Custodian:', [text]: 'Imogen Quarles' }
      original.rows = [original.rows[0]!, across]
      const { stderr } = await run(
        addressAt(original, feed),
        0,
        'try-source',
        key,
        '--record',
        file,
      )
      expect(stderr).toContain('has 1 of 2 rows')
      expect(readFileSync(file, 'utf8')).not.toMatch(/quarles/i)
    })
  },
)
