import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, it } from 'vitest'
import { clock } from '../../src/infra/postgres/clock.ts'
import { logCloses } from '../../src/infra/valuation/closeLog.ts'
import { logLimits, readSettledLimits } from '../../src/infra/valuation/limitLog.ts'
import { logEstimates, publishFinishedDays } from '../../src/infra/valuation/provenLogs.ts'
import { rescore } from '../../src/usecases/valuation/rescore.ts'
import { bandOf } from '../domain/valuation/bandOf.ts'
import {
  DAY,
  fromNow,
  HOUR,
  insertLots,
  insertLotsWithClose,
  insertSales,
  MINUTE,
  NOW,
} from '../support/lots/fixtures.ts'
import { temporaryFolder } from '../support/run/shared.ts'
import { serviceFor } from '../support/service/start.ts'

const api = serviceFor({ now: NOW, linksToItself: true })
const folder = temporaryFolder()

const YESTERDAY = '2026-11-20'
const estimate = (lot_id: string, value = 100_000) => ({
  lot_id,
  estimated_value_cents: value,
  ...bandOf(value / 4, value / 2, value * 2, value * 4),
})
/** As a reader of the guide knows them. */
interface Published {
  days: { day: string; entries: number; root: string }[]
  root: string
  estimates: { hash?: string; entry?: { listing_id: string }; price_cents?: number | null }[]
  closes: object[]
  limits: { entry?: object }[]
  settled: object[]
}
const load = async (path: string) => {
  const response = await fetch(api.address + path)
  return { response, body: (await response.json().catch(() => null)) as Published }
}
const dayOf = async (day: string) => (await load(`/data/estimates/${day}.json`)).body
/** Runs the published verifier; the index that was saved before is optional. */
const verify = (saved?: object) =>
  new Promise<{ code: number; out: string }>(resolve => {
    const file = join(folder, 'saved.json')
    if (saved) writeFileSync(file, JSON.stringify(saved))
    const args = [join(folder, 'verify.mjs'), api.address, ...(saved ? [file] : [])]
    execFile(process.execPath, args, (error, stdout, stderr) =>
      resolve({ code: error ? 1 : 0, out: stdout + stderr }),
    )
  })

let open: string[]

beforeAll(async () => {
  const program = await fetch(`${api.address}/data/verify-estimates.mjs`)
  expect(program.headers.get('content-type')).toBe('text/javascript; charset=utf-8')
  writeFileSync(join(folder, 'verify.mjs'), await program.text())
  const prices = [100_000, 60_000, 350_000, 10_000]
  const sold = await insertSales(
    api.sql,
    prices.map(final_bid_cents => ({ final_bid_cents, sold_at: fromNow(-HOUR) })),
  )
  const listed = { source: 'govdeals', sold_at: fromNow(-HOUR), final_bid_cents: 100 }
  const [ofPartner] = await insertSales(api.sql, [listed])
  open = await insertLots(api.sql, [{ slug: 'open' }, { slug: 'other' }])
  const first = [...sold, ofPartner!, open[0]!].map(id => estimate(id))
  await logEstimates(api.sql, first, fromNow(-DAY))
  await logEstimates(api.sql, [estimate(open[0]!, 8), estimate(open[1]!)], NOW)
})

it('publishes nothing of a day that has not ended an hour ago, and its root from then on', async () => {
  await publishFinishedDays(api.sql, new Date('2026-11-21T00:59:59Z'))
  expect((await load('/data/estimates.json')).body.days).toEqual([])
  expect((await load(`/data/estimates/${YESTERDAY}.json`)).response.status).toBe(404)
  await publishFinishedDays(api.sql, NOW)
  const { response, body } = await load('/data/estimates.json')
  const [day] = body.days
  expect(response.headers.get('link')).toContain('rel="license"')
  expect(body.days).toHaveLength(1)
  expect(day).toMatchObject({
    day: YESTERDAY,
    entries: 5,
    root: expect.stringMatching(/^[0-9a-f]{64}$/),
  })
  expect((await load('/data/estimates/2026-11-21.json')).response.status).toBe(404)
  expect((await load('/data/estimates/tomorrow.json')).response.status).toBe(404)
})

it('shows the bands of closed lots with their prices, of an open lot a hash, and none of a source whose rows may not leave', async () => {
  const { estimates } = await dayOf(YESTERDAY)
  const closed = estimates.filter(one => one.entry)
  expect(closed).toHaveLength(4)
  expect(closed[0]).toMatchObject({
    entry: { day: YESTERDAY, estimated_value_cents: 100_000, likely_low_cents: 50_000 },
    price_basis: 'awarded',
    url: expect.stringContaining('https://auctions.example/lots/'),
  })
  expect(estimates.filter(one => !one.entry)).toEqual([
    { hash: expect.stringMatching(/^[0-9a-f]{64}$/) },
  ])
  expect(JSON.stringify(estimates)).not.toContain(open[0])
})

it('has a verifier that recomputes every root and the share of the prices in the bands', async () => {
  const { code, out } = await verify()
  expect([code, out]).toEqual([
    0,
    expect.stringContaining('1 days with 5 estimates, 4 of them with a closing price.'),
  ])
  expect(out).toContain('should hold 50%: 50.0%')
  expect(out).toContain('should hold 80%: 75.0%')
})

it('keeps its root when a lot closes, and then shows the first estimate of the lot', async () => {
  const before = (await load('/data/estimates.json')).body
  await api.sql`update lots set is_open = false where id = ${open[0]!}`
  const { root, estimates } = await dayOf(YESTERDAY)
  expect(root).toBe(before.days[0]!.root)
  const shown = estimates.find(({ entry }) => entry?.listing_id === open[0])
  expect(shown).toMatchObject({ entry: { estimated_value_cents: 100_000 }, price_cents: null })
  expect((await verify(before)).code).toBe(0)
})

it('lets the verifier find a changed band, and a root that is not the one that was saved', async () => {
  const saved = (await load('/data/estimates.json')).body
  await api.sql`update estimates set likely_low_cents = 1 where lot_id = ${open[0]!}`
  expect(await verify()).toEqual({
    code: 1,
    out: expect.stringContaining(`${YESTERDAY}: the root does not follow from the entries`),
  })
  await api.sql`update estimates set likely_low_cents = 50000 where lot_id = ${open[0]!}`
  saved.days[0]!.root = '0'.repeat(64)
  expect((await verify(saved)).out).toContain(`${YESTERDAY}: not the root that you saved`)
})

it('logs an entry that comes after its day was published under a later day', async () => {
  const [late] = await insertLots(api.sql, [{ slug: 'late' }])
  await logEstimates(api.sql, [estimate(late!)], fromNow(-DAY))
  const rows = await api.sql`select day::text from estimates where lot_id = ${late!}`
  expect(rows).toEqual([{ day: '2026-11-21' }])
})

it('publishes logged closes in the same way, but none of a source whose rows may not leave', async () => {
  const ends_at = fromNow(-DAY + HOUR + MINUTE)
  const lots = await insertLotsWithClose(api.sql, [
    { slug: 'with-bid', ends_at },
    { slug: 'of-partner', source: 'govdeals', ends_at },
  ])
  await logCloses({ sql: api.sql, now: clock(fromNow(-DAY)) })
  await publishFinishedDays(api.sql, NOW)
  const saved = (await load('/data/closes.json')).body
  expect(saved.days).toEqual([expect.objectContaining({ day: YESTERDAY, entries: 1 })])
  const closes = async () => (await load(`/data/closes/${YESTERDAY}.json`)).body.closes
  expect(await closes()).toEqual([{ hash: expect.stringMatching(/^[0-9a-f]{64}$/) }])
  await api.sql`
    update lots
    set is_open = false, outcome = 'sold', final_bid_cents = 11_000, price_basis = 'awarded', sold_at = ends_at
    where id = ${lots[0]!}`
  expect(await closes()).toEqual([
    expect.objectContaining({
      entry: expect.objectContaining({ close_cents: 10_000, hours: 1, listing_id: lots[0] }),
      price_cents: 11_000,
    }),
  ])
  expect(await verify(saved)).toEqual({
    code: 0,
    out: expect.stringContaining('1 days with 1 closes, 1 of them with a closing price.'),
  })
  await api.sql`update closes set close_cents = 11_000`
  expect((await verify(saved)).out).toContain(
    `${YESTERDAY}: the root does not follow from the entries`,
  )
  await api.sql`update closes set close_cents = 10_000`
})

it('seals limits the day before the end, once, and settles them by real prices alone', async () => {
  const said = async () =>
    (await (await fetch(`${api.address}/accuracy`)).text()).replace(/\s+/g, ' ')
  expect(await said()).toContain('No lot with a logged limit has closed yet.')
  const ends_at = fromNow(-DAY + 5 * HOUR)
  const titles = Array.from(
    { length: 33 },
    (_, n) => `Genie lift ${'abcdefghijklmnopqrstuvwxyzABCDEFG'[n]}${n}`,
  )
  const lots = await insertLotsWithClose(
    api.sql,
    titles.map((title, n) => ({ slug: `limit-${n}`, title, ends_at })),
  )
  const [later, partner] = await insertLotsWithClose(api.sql, [
    { slug: 'limit-later', ends_at: fromNow(2 * DAY) },
    { slug: 'limit-partner', source: 'govdeals', ends_at },
  ])
  await api.sql`update lots set limit_cents = 20_000 where id in ${api.sql([...lots, later!, partner!] as string[])}`
  await logLimits({ sql: api.sql, now: clock(fromNow(-DAY)) })
  const sealed = await api.sql`select lot_id from limits where lot_id = ${later!}`
  expect(sealed).toEqual([])
  // Neither a changed limit nor a moved end changes what was sealed.
  await api.sql`update lots set limit_cents = 1, ends_at = ends_at + interval '3 hours' where id in ${api.sql(lots)}`
  await logLimits({ sql: api.sql, now: clock(fromNow(-DAY + HOUR)) })
  expect(
    await api.sql`select distinct limit_cents::int, day::text from limits order by day`,
  ).toEqual([
    { limit_cents: 20_000, day: YESTERDAY },
    { limit_cents: 20_000, day: null },
  ])
  await publishFinishedDays(api.sql, NOW)
  const saved = (await load('/data/limits.json')).body
  expect(saved.days).toEqual([expect.objectContaining({ day: YESTERDAY, entries: 33 })])
  const entries = async () => (await load(`/data/limits/${YESTERDAY}.json`)).body.limits
  expect((await entries()).every(({ entry }) => !entry)).toBe(true)

  // 31 close under the limit, one over it, one by a last seen bid; the partner's is counted and not
  // published.
  const close = (ids: string[], cents: number, basis: string) => api.sql`
    update lots
    set is_open = false, outcome = 'sold', final_bid_cents = ${cents}, price_basis = ${basis}, sold_at = ends_at
    where id in ${api.sql(ids)}`
  await close(lots.slice(0, 29), 10_000, 'awarded')
  await close([lots[31]!], 30_000, 'awarded')
  await close([lots[32]!], 5_000, 'last_observed')
  const first = async () => (await readSettledLimits({ sql: api.sql, now: clock(NOW) }))[0]
  expect(await first()).toMatchObject({
    closed: 31,
    with_price: 30,
    under: 29,
    paid_cents: null,
    resold: 0,
  })
  expect(await said()).toContain('not known yet')
  await close(lots.slice(29, 31), 10_000, 'awarded')
  await insertSales(
    api.sql,
    titles
      .slice(0, 30)
      .map(title => ({ title: title.toUpperCase(), final_bid_cents: 40_000, sold_at: NOW })),
  )
  expect(await first()).toMatchObject({
    month: null,
    closed: 33,
    with_price: 32,
    under: 31,
    paid_cents: 310_000,
    resold: 30,
    paid_of_resold_cents: 300_000,
    resold_cents: 1_200_000,
    left_cents: 1_056_000 - 300_000,
  })
  const { settled } = (await load('/data/limits-settled.json')).body
  expect(settled[0]).toMatchObject({ under: 31, left_cents: 756_000 })
  expect(settled[1]).toMatchObject({ month: '2026-11', closed: 33 })
  expect(await said()).toContain('$7,560')

  expect((await entries())[0]).toMatchObject({ entry: { day: YESTERDAY, limit_cents: 20_000 } })
  expect(await verify(saved)).toEqual({
    code: 0,
    out: expect.stringContaining('at or under the limit: 31'),
  })
  await api.sql`update limits set limit_cents = 10_000 where lot_id = ${lots[31]!}`
  expect((await verify(saved)).out).toContain(
    `${YESTERDAY}: the root does not follow from the entries`,
  )
  await api.sql`update limits set limit_cents = 20_000 where lot_id = ${lots[31]!}`
  await api.sql`
    insert into limits (lot_id, day, limit_cents, grade)
    values (${later!}, ${YESTERDAY}, 1, 'comparables')`
  expect((await verify(saved)).out).toContain(`${YESTERDAY}: 34 entries instead of 33`)
  await api.sql`delete from limits where lot_id = ${later!}`
})

it('logs a lot when it is first estimated from five similar sales, and no lot that words alone describe', async () => {
  const sales = Array.from({ length: 12 }, (_, n) => ({
    title: `Dell Latitude laptop ${n}`,
    category: 'electronics',
    sold_at: fromNow(-(n + 1) * DAY),
    final_bid_cents: 10_000 + 100 * n,
  }))
  await insertSales(api.sql, sales)
  const [laptop, chair] = await insertLots(api.sql, [
    { slug: 'laptop', title: 'Dell Latitude laptop', category: 'electronics' },
    { slug: 'chair', title: 'Dental electronics chair', category: 'electronics' },
  ])
  await rescore(api.sql, { now: NOW })
  const logged = await api.sql<{ lot_id: string }[]>`
    select lot_id from estimates where lot_id in (${laptop!}, ${chair!})`
  expect(logged).toEqual([{ lot_id: laptop }])
})
