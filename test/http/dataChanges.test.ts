import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { closeEndedLots } from '../../src/infra/ingestion/closings.ts'
import { openAdminConnection } from '../../src/infra/postgres/database.ts'
import { DAY, fromNow, HOUR, insertAppraisal, insertLots, MINUTE, NOW } from '../support/lots/fixtures.ts'
import { start, type TestService } from '../support/service/start.ts'

const EVERYTHING = '/api/v1/listings?per_page=50'

let api: TestService

beforeAll(async () => {
  api = await start({ opensSeenPages: false })
})

beforeEach(async () => {
  api.clock.now = NOW
  await api.sql`delete from lots`
})

afterAll(() => api.close())

async function found(path = EVERYTHING): Promise<{ total: number; slugs: string[] }> {
  const { status, body } = await api.get(path)
  expect(status).toBe(200)
  return {
    total: body.total,
    slugs: body.data.map((lot: { bidprowl_url: string }) => lot.bidprowl_url.split('/').pop()).sort(),
  }
}

/** Runs a piece of work while nobody can read a lot. */
async function withoutLots<T>(work: () => Promise<T>): Promise<T> {
  await api.sql`alter table lots rename to lots_hidden`
  try {
    return await work()
  } finally {
    await api.sql`alter table lots_hidden rename to lots`
  }
}

describe('answers that a process remembers', () => {
  it('a repeated search reads no lot', async () => {
    await insertLots(api.sql, [{ slug: 'one' }])
    await found()
    expect(await withoutLots(() => found())).toEqual({ total: 1, slugs: ['one'] })
  })

  it('show a lot that another process loaded, changed, or took away, at once', async () => {
    const elsewhere = openAdminConnection(api.databaseUrl)
    await insertLots(elsewhere, [{ slug: 'one' }])
    expect(await found()).toEqual({ total: 1, slugs: ['one'] })
    const [id] = await insertLots(elsewhere, [{ slug: 'two' }])
    expect(await found()).toEqual({ total: 2, slugs: ['one', 'two'] })
    await elsewhere`update lots set flip_score = 77 where id = ${id!}`
    expect((await api.get(`/api/v1/listings/${id}`)).body.data.flip_score).toBe(77)
    await elsewhere`update lots set flip_score = 78 where id = ${id!}`
    expect((await api.get(`/api/v1/listings/${id}`)).body.data.flip_score).toBe(78)
    await elsewhere`delete from lots where id = ${id!}`
    expect(await found()).toEqual({ total: 1, slugs: ['one'] })
    expect((await api.get(`/api/v1/listings/${id}`)).status).toBe(404)
    await elsewhere.end({ timeout: 5 })
  })

  it('show a first value, and the same lot at another source, at once', async () => {
    const same = { title: 'Bobcat S650 skid steer', state: 'OH', zip: '43004' }
    const [id] = await insertLots(api.sql, [{ ...same, slug: 'first' }])
    const lot = async () => (await api.get(`/api/v1/listings/${id}`)).body.data
    expect(await lot()).toMatchObject({ appraised: false, also_listed_as: null })
    await insertAppraisal(api.sql, { lot_id: id! })
    expect(await lot()).toMatchObject({ appraised: true, also_listed_as: null })
    const [other] = await insertLots(api.sql, [{ ...same, slug: 'second', source: 'govdeals' }])
    expect(await lot()).toMatchObject({ appraised: true, also_listed_as: other })
  })

  it('show a new name of a source', async () => {
    const [id] = await insertLots(api.sql, [{ slug: 'named' }])
    const nameOf = async () => (await api.get(`/api/v1/listings/${id}`)).body.data.source_name
    const before = await nameOf()
    await api.sql`update sources set name = 'Another name' where source = 'gsa'`
    expect(await nameOf()).toBe('Another name')
    await api.sql`update sources set name = ${before} where source = 'gsa'`
  })

  it('drop a lot at the very moment it ends, and show one that begins', async () => {
    await insertLots(api.sql, [
      { slug: 'ends', ends_at: fromNow(HOUR) },
      { slug: 'begins', starts_at: fromNow(2 * HOUR), ends_at: fromNow(2 * DAY) },
      { slug: 'stays', ends_at: fromNow(DAY) },
    ])
    const at = async (ms: number) => {
      api.clock.now = fromNow(ms)
      return found()
    }
    expect(await at(0)).toEqual({ total: 2, slugs: ['ends', 'stays'] })
    expect(await at(HOUR - 1)).toEqual({ total: 2, slugs: ['ends', 'stays'] })
    expect(await at(HOUR)).toEqual({ total: 1, slugs: ['stays'] })
    expect(await at(2 * HOUR - 1)).toEqual({ total: 1, slugs: ['stays'] })
    expect(await at(2 * HOUR)).toEqual({ total: 2, slugs: ['begins', 'stays'] })
    expect(await at(DAY)).toEqual({ total: 1, slugs: ['begins'] })
  })

  it('tell the status of a lot by the clock', async () => {
    const [id] = await insertLots(api.sql, [
      { slug: 'lot', starts_at: fromNow(MINUTE), ends_at: fromNow(HOUR) },
    ])
    const statuses: string[] = []
    for (const ms of [0, MINUTE, HOUR - 1, HOUR]) {
      api.clock.now = fromNow(ms)
      statuses.push((await api.get(`/api/v1/listings/${id}`)).body.data.status)
    }
    expect(statuses).toEqual(['upcoming', 'live', 'live', 'ended'])
  })

  it('are right after the clock was set back', async () => {
    await insertLots(api.sql, [{ slug: 'ends', ends_at: fromNow(HOUR) }])
    api.clock.now = fromNow(HOUR)
    expect(await found()).toEqual({ total: 0, slugs: [] })
    api.clock.now = fromNow(0)
    expect(await found()).toEqual({ total: 1, slugs: ['ends'] })
  })

  it('count what matches once for all pages and orders, and tell the filters apart', async () => {
    await insertLots(api.sql, [
      ...Array.from({ length: 5 }, (_, n) => ({ slug: `truck-${n}`, category: 'vehicles', num_bids: n })),
      { slug: 'desk', category: 'office-furniture' },
    ])
    const vehicles = '/api/v1/listings?category=vehicles&per_page=2'
    expect((await found(vehicles)).total).toBe(5)
    expect(await found(`${vehicles}&page=3`)).toMatchObject({ total: 5, slugs: { length: 1 } })
    expect((await found(`${vehicles}&sort=most_bids`)).slugs).toEqual(['truck-3', 'truck-4'])
    expect((await found(`${vehicles}&no_bids=true`)).total).toBe(1)
    expect((await found('/api/v1/listings?category=office-furniture')).total).toBe(1)
  })

  it('are kept when a minute’s look for ended lots finds none', async () => {
    await insertLots(api.sql, [{ slug: 'one' }])
    await found()
    expect(await closeEndedLots(api.sql, NOW)).toBe(0)
    expect(await withoutLots(() => found())).toEqual({ total: 1, slugs: ['one'] })
  })

  it('never disagree with the data while it changes under sixty-four readers', async () => {
    const category = 'vehicles'
    let least = 0
    let isWriting = true
    const write = async () => {
      for (let n = 1; n <= 40; n++) {
        await insertLots(api.sql, [{ slug: `lot-${n}-${randomUUID()}`, category }])
        least = n
      }
      isWriting = false
    }
    const wrong: string[] = []
    const read = async () => {
      while (isWriting) {
        const committed = least
        const { total, slugs } = await found(`${EVERYTHING}&category=${category}`)
        if (total < committed) wrong.push(`${total} found after ${committed} were stored`)
        if (slugs.length !== total) wrong.push(`${slugs.length} shown of ${total}`)
      }
    }
    await Promise.all([write(), ...Array.from({ length: 64 }, read)])
    expect(wrong).toEqual([])
    expect((await found(`${EVERYTHING}&category=${category}`)).total).toBe(40)
  })
})
