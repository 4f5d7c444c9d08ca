import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { PORTAL_FEEDS } from '../../src/infra/sources/feeds.ts'
import { freshDatabase } from '../support/database/database.ts'
import { runSurplusHere } from '../support/run/commandLine.ts'
import { shared, temporaryFolder } from '../support/run/shared.ts'
import { addressAt, startPortalStandIn, withPeople } from '../support/standIns/portalStandIns.ts'

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
    const { code, stdout } = await surplus('try-source', file, '--address', addressAt(portal, feed))
    expect([code, stdout]).toEqual([0, expect.stringContaining('JA-1')])
    expect(stdout).toContain('5 rows read: 4 lots, 1 not on offer, 0 set aside.')
    expect(stdout).toMatch(/^Not requested: market_value, current_owners, owner_name, .*\.$/m)
    expect(stdout).toMatch(/\nUsable\.\n$/)
    expect(stdout).not.toContain('PLANTED')
  })

  it('turns a feed on that nobody has tried, and only then is it fetched', async () => {
    const off = await surplus('ingest', feed.key)
    expect([off.code, off.stderr]).toEqual([1, `${feed.key} is off. npx surplus sources says why.\n`])
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
    const { code, stdout } = await surplus('try-source', feed.key)
    expect(code).toBe(1)
    expect(stdout).toContain('3 × asking_price must be US dollars with at most two decimals, not "call us".')
    expect(stdout).toMatch(/Not usable\. More than a tenth of the rows was set aside\.\n$/)
    portal.fault = 'forbidden'
    expect((await surplus('try-source', feed.key)).stdout).toMatch(/Not usable\. .* answered 403/)
    portal.fault = null
    portal.rows = portal.rows.map(row => ({ ...row, asking_price: 1, parcel_number: 'JA-1' }))
    expect((await surplus('try-source', feed.key)).stdout).toContain('rows have 1 ids. Correct lot.id.')
    portal.rows = portal.rows.map(({ zip_code, ...row }) => row)
    expect((await surplus('try-source', feed.key)).stdout).toContain('The table has no column zip_code.')
  })

  it.each([
    [['nobody'], /^There is no file and no feed nobody\. Feeds: seattle, /],
    [['package.json'], /^The entry cannot be used: it must have required property/],
  ])('refuses %s with exit code 2', async (args, sentence) => {
    const { code, stderr } = await surplus('try-source', ...args)
    expect([code, stderr]).toEqual([2, expect.stringMatching(sentence)])
  })
})
