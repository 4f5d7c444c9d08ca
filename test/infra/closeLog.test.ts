import { expect, it } from 'vitest'
import { clock } from '../../src/infra/postgres/clock.ts'
import { openServing } from '../../src/infra/postgres/sql.ts'
import { judgeLoggedCloses, logCloses } from '../../src/infra/valuation/closeLog.ts'
import { fromNow, HOUR, insertLotsWithClose, MINUTE, NOW } from '../support/lots/fixtures.ts'
import { shared } from '../support/run/shared.ts'
import { serviceFor } from '../support/service/start.ts'
import { readPage } from '../support/site/readPage.ts'

const api = serviceFor()
/** As a serving process opens it, which logs the closes: no arrays. */
const sql = shared(() => openServing({ url: api.databaseUrl, connections: 1, timeoutMs: 10_000 }))

const logged = () => api.sql`
  select slug, hours, close_cents
  from closes
  join lots on lots.id = lot_id
  order by slug, hours`

it('logs the close of a lot 24, 6 and 1 hours before it can close, as it was last before that moment', async () => {
  await insertLotsWithClose(api.sql, [
    { slug: 'second', ends_at: fromNow(6 * HOUR + 5 * MINUTE) },
    // The last second of a day in the zone of the source, which closes from 10 AM on: 14 hours
    // earlier.
    { slug: 'day', ends_at: new Date('2026-11-25T05:59:59Z') },
    { slug: 'no-bid', ends_at: fromNow(HOUR + MINUTE), current_bid_cents: null, num_bids: 0 },
    { slug: 'between', ends_at: fromNow(3 * HOUR) },
    { slug: 'past', ends_at: fromNow(HOUR - MINUTE) },
  ])
  await logCloses({ sql, now: clock(fromNow(0)) })
  expect(await logged()).toEqual([{ slug: 'second', hours: 6, close_cents: 10_000 }])
  await api.sql`update appraisals set projected_close_cents = 11_000`
  await logCloses({ sql, now: clock(fromNow(4 * MINUTE)) })
  await api.sql`update appraisals set projected_close_cents = 12_000`
  await logCloses({ sql, now: clock(fromNow(6 * MINUTE)) })
  expect(await logged()).toEqual([{ slug: 'second', hours: 6, close_cents: 11_000 }])
  await logCloses({ sql, now: clock(new Date('2026-11-23T15:55:00Z')) })
  expect(await logged()).toContainEqual({ slug: 'day', hours: 24, close_cents: 12_000 })
})

it('keeps a close for good once an hour has passed, also where the end has moved', async () => {
  const [id] = await insertLotsWithClose(api.sql, [
    { slug: 'moved', ends_at: fromNow(HOUR + MINUTE) },
  ])
  const closeAt = async (ends_at: Date, projected_close_cents: number, at: Date) => {
    await api.sql`update lots set ends_at = ${ends_at} where id = ${id!}`
    await api.sql`update appraisals set projected_close_cents = ${projected_close_cents} where lot_id = ${id!}`
    await logCloses({ sql, now: clock(at) })
    const [close] =
      await api.sql`select close_cents from closes where lot_id = ${id!} and hours = 1`
    return close!.close_cents
  }
  expect(await closeAt(fromNow(HOUR + MINUTE), 10_000, NOW)).toBe(10_000)
  expect(await closeAt(fromNow(1.5 * HOUR), 11_000, fromNow(0.4 * HOUR))).toBe(11_000)
  expect(await closeAt(fromNow(5 * HOUR), 12_000, fromNow(4 * HOUR))).toBe(11_000)
})

it('is judged on /accuracy from 300 lots on whose source published a price', async () => {
  const page = async () => (await readPage(`${api.address}/accuracy`)).words
  const ids = await insertLotsWithClose(
    api.sql,
    Array.from({ length: 300 }, (_, n) => ({ slug: `sold-${n}`, ends_at: fromNow(HOUR + MINUTE) })),
  )
  await logCloses({ sql, now: clock(fromNow(0)) })
  const sell = (lots: string[], price_basis: string) => api.sql`
    update lots
    set is_open = false, outcome = 'sold', final_bid_cents = 11_000, price_basis = ${price_basis}, sold_at = ends_at
    where id = any(${lots})`
  await sell(ids.slice(1), 'awarded')
  await sell(ids.slice(0, 1), 'last_observed')
  expect(await judgeLoggedCloses({ sql: api.sql, now: clock(NOW) })).toEqual([])
  expect(await page()).not.toContain('Hours before the end')
  await sell(ids.slice(0, 1), 'awarded')
  expect(await judgeLoggedCloses({ sql: api.sql, now: clock(NOW) })).toEqual([
    { hours: 1, lots: 300, error_factor: expect.closeTo(1.1), likely_hold_percent: 100 },
  ])
  expect(await page()).toMatch(/Hours before the end .* 1 300 ×1\.10 100%/)
})
