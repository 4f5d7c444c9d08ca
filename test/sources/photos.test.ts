import { beforeEach, expect, it, vi } from 'vitest'
import { photosRefused } from '../../src/domain/photos.ts'
import { checkPhotos } from '../../src/usecases/ingestion/checkPhotos.ts'
import { listSourceStates } from '../../src/usecases/ingestion/trackedSources.ts'
import { insertLots, NOW } from '../support/lots/fixtures.ts'
import { serviceFor } from '../support/service/start.ts'
import { readPage } from '../support/site/readPage.ts'
import { standInFor } from '../support/standIns/standIn.ts'
import { MANNERS } from '../support/standIns/sweeping.ts'

const PHOTO = 'https://www.ppms.gov/gw/auction/ppms/api/v1/auction/image/378501.jpg'
/** What each method answers next. */
let answers: Record<string, number>
const api = serviceFor({ now: NOW })
/** Where a redirect leads. */
let redirect: Record<string, string> = {}
const host = standInFor(({ method }) => ({ status: answers[method]!, headers: redirect }))
/** An address of this machine that no photo is at. */
const inside = standInFor(() => ({ status: 200 }))

beforeEach(async () => {
  await api.sql`delete from lots`
  await api.sql`update sources set photos_checked_at = null, photos_status = null, photos_since = null`
  await insertLots(api.sql, [{ slug: 'truck', title: 'Truck', image_url: PHOTO }])
})

/** A check of a later day, at a stand-in in the place of the host. */
async function check(status: number, head = status) {
  answers = { HEAD: head, GET: status }
  const real = globalThis.fetch
  const led = vi.spyOn(globalThis, 'fetch').mockImplementation((to, init) => {
    return real(new URL(new URL(String(to)).pathname, host.origin), init)
  })
  await api.sql`update sources set photos_checked_at = photos_checked_at - interval '1 day'`
  await checkPhotos(api.sql, 'gsa', MANNERS, new AbortController().signal).finally(() =>
    led.mockRestore(),
  )
}

const image = async () => (await api.read('/api/v1/listings/truck')).data.image_url
const page = async (path: string) => (await readPage(api.address + path)).html

it('is in no answer and on no page while its host refuses it, and is back when the host shows it', async () => {
  expect(await image()).toBe(PHOTO)
  const { next_cursor: latest } = await api.read('/api/v1/changes?cursor=latest')
  await api.sql`update lots set num_bids = num_bids + 1, current_bid_cents = 9000`
  await check(401)
  const [{ today }] = await api.sql<
    [{ today: string }]
  >`select to_char(now() at time zone 'utc', 'Mon FMDD, YYYY') as today`
  expect(await image()).toBeNull()
  expect((await api.read('/api/v1/listings')).data[0].image_url).toBeNull()
  expect((await api.get('/api/v1/export')).text).toMatch(/truck/)
  const changes = `/api/v1/changes?cursor=${latest}`
  expect((await api.read(changes)).data[0].listing.image_url).toBeNull()
  for (const path of [
    '/listings/truck',
    '/search',
    '/feeds/listings.json',
    '/feeds/listings.rss',
    '/listings/truck/end.ics',
  ])
    expect(await page(path), path).not.toContain('ppms.gov/gw')
  expect((await api.get('/api/v1/export')).text).not.toContain('ppms.gov/gw')
  expect(await page('/sources')).toContain('Photos unavailable (at the source)')
  const { sources } = await listSourceStates(api.sql, {}, false)
  const refused = sources.find(({ source }) => source === 'gsa')!
  expect(photosRefused(refused)).toBe(`refused (401) since ${today}`)
  await check(200)
  expect(await image()).toBe(PHOTO)
  expect(await page('/listings/truck')).toContain(PHOTO)
  expect(await page('/sources')).not.toContain('Photos unavailable')
})

it('is asked for once a day: by HEAD, and by a GET of a few bytes where HEAD is refused', async () => {
  await check(200, 405)
  expect(host.asked.map(({ method, headers }) => [method, headers.range])).toEqual([
    ['HEAD', 'bytes=0-63'],
    ['GET', 'bytes=0-63'],
  ])
  await checkPhotos(api.sql, 'gsa', MANNERS, new AbortController().signal)
  expect(host.asked).toHaveLength(2)
  expect(await image()).toBe(PHOTO)
})

it('stays as it was where the answer says nothing of the public: a photo that is gone, a host that is busy', async () => {
  await check(403)
  for (const status of [404, 429, 503]) {
    await check(status)
    expect(await image()).toBeNull()
  }
})

it('stays as it was where its host redirects, which nothing follows', async () => {
  await check(403)
  redirect = { location: `${inside.origin}/internal` }
  for (const status of [301, 302, 307, 308]) await check(status)
  await check(302, 405)
  redirect = {}
  expect(inside.asked).toEqual([])
  expect(await image()).toBeNull()
  await check(200)
  expect(await image()).toBe(PHOTO)
})
