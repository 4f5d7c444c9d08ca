import { beforeEach, describe, expect, it, vi } from 'vitest'
import { lockKey } from '../../src/infra/ingestion/locks.ts'
import { openAdminConnection } from '../../src/infra/postgres/database.ts'
import { ingestionFor, liveRow } from '../support/ingestion/ingestion.ts'
import { NOW } from '../support/ingestion/ingestionClock.ts'
import { startSurplus } from '../support/run/commandLine.ts'
import { gsaLot, gsaLots } from '../support/standIns/gsaLots.ts'
import { type Asked, json, type Served, standInFor } from '../support/standIns/standIn.ts'
import { sweep } from '../support/standIns/sweeping.ts'

const KEY = 'test-key'
const hours = (count: number) => new Date(NOW.getTime() + count * 3_600_000)

/** GSA in two hops, the second with the validators that a test gives it. */
const standing = {
  lots: gsaLots(20),
  file: {} as Record<string, string>,
  signature: 0,
}
const ingestion = ingestionFor('each test')

/** As a server by the book: 304 when one of the validators still holds. */
function conditional(
  { headers }: Asked,
  validators: Record<string, string>,
  whole: Served,
): Served {
  const { etag, 'last-modified': modified } = validators
  const holds =
    headers['if-none-match'] === undefined
      ? modified !== undefined && headers['if-modified-since'] === modified
      : headers['if-none-match'] === etag
  const isNoCache = /no-cache/.test(headers['cache-control'] ?? '')
  return holds && !isNoCache
    ? { status: 304, headers: validators }
    : { ...whole, headers: { ...whole.headers, ...validators } }
}

const files = standInFor(asked =>
  conditional(asked, standing.file, json({ Results: standing.lots })),
)
const api = standInFor(() => {
  const location = `${files.origin}/active.json?X-Amz-Signature=secret${standing.signature++}`
  return { status: 303, headers: { location, etag: '"never a validator"' } }
})
beforeEach(() => void Object.assign(standing, { lots: gsaLots(20), file: {} }))

function forget(): void {
  api.asked.length = 0
  files.asked.length = 0
}

const fetchGsa = (now = NOW) =>
  sweep(ingestion, 'gsa', `${api.origin}/auctions`, { key: KEY, redirectHosts: ['127.0.0.1'], now })
const loads = async () => (await ingestion.sql`select from loads`).length
const observed = () => ingestion.sql`
  select is_open, rfc3339(observed_at) as at, count(*) as lots
  from lots
  group by is_open, observed_at
  order by observed_at, is_open`

describe('a source that has not changed', () => {
  it('costs no body when its file says so, whatever its signature; its lots are observed again, without a load or a change', async () => {
    standing.file = { etag: '"f1"' }
    standing.lots[0] = gsaLot(1, { aucEndDt: '2026-11-21' })
    await fetchGsa()
    const changes = await ingestion.sql`select count(*) as count from lot_changes`
    forget()
    const again = await fetchGsa(hours(0.5))
    expect(again).toMatchObject({
      state: 'done',
      is_unchanged: true,
      load_id: null,
      lots_changed: 0,
    })
    expect([api.asked.length, files.asked.length]).toEqual([1, 1])
    expect(api.asked[0]?.headers['if-none-match']).toBeUndefined()
    expect(files.asked[0]?.headers['if-none-match']).toBe('"f1"')
    expect(await loads()).toBe(1)
    const [{ text } = {}] = await ingestion.sql`select json_agg(sweeps)::text as text from sweeps`
    expect(text).toContain(`${files.host}/active.json`)
    expect(text).not.toMatch(/secret|Signature|test-key/)
    expect(await observed()).toEqual([{ is_open: true, at: '2026-11-21T12:30:00Z', lots: 20 }])
    expect(await ingestion.sql`select count(*) as count from lot_changes`).toEqual(changes)
    const [source] = await ingestion.sql`
      select rfc3339(last_success_at) as at, outcome from sources join sweeps using (source) where source = 'gsa'`
    expect(source).toEqual({ at: '2026-11-21T12:30:00Z', outcome: 'done' })
  })

  it('is asked by Last-Modified when the ETag is weak', async () => {
    Object.assign(standing, {
      file: { etag: 'W/"f1"', 'last-modified': 'Sat, 21 Nov 2026 11:50:00 GMT' },
    })
    await fetchGsa()
    forget()
    expect(await fetchGsa(hours(1))).toMatchObject({ is_unchanged: true })
    expect(files.asked[0]?.headers).toMatchObject({
      'if-modified-since': 'Sat, 21 Nov 2026 11:50:00 GMT',
    })
    expect(files.asked[0]?.headers['if-none-match']).toBeUndefined()
  })

  it('is known by its content when it has no validators', async () => {
    await fetchGsa()
    expect(await fetchGsa(hours(1))).toMatchObject({ is_unchanged: true })
    standing.lots = [gsaLot(1, { highBidAmount: 9000 }), ...standing.lots.slice(1)]
    expect(await fetchGsa(hours(2))).toMatchObject({ is_unchanged: false, lots_changed: 1 })
    expect(await loads()).toBe(2)
  })

  it('closes the lots whose end has passed, and withdraws none', async () => {
    standing.file = { etag: '"f1"' }
    standing.lots[0] = gsaLot(1, { aucEndDt: '2026-11-21', highBidAmount: 500 })
    await fetchGsa()
    const later = await fetchGsa(hours(23))
    expect(later).toMatchObject({ is_unchanged: true, lots_settled: 1, lots_withdrawn: 0 })
    const [sale] =
      await ingestion.sql`select final_bid_cents, price_basis from lots where not is_open`
    expect(sale).toEqual({ final_bid_cents: 50_000, price_basis: 'last_observed' })
  })

  it('is loaded once a day all the same', async () => {
    standing.file = { etag: '"f1"' }
    await fetchGsa()
    expect(await fetchGsa(hours(23.9))).toMatchObject({ is_unchanged: true })
    forget()
    expect(await fetchGsa(hours(24.1))).toMatchObject({ is_unchanged: false, lots_changed: 0 })
    expect(files.asked[0]?.headers['if-none-match']).toBeUndefined()
  })

  it('leaves a lot of a row that was set aside as it was', async () => {
    await fetchGsa()
    standing.lots[0] = gsaLot(1, { auctionStatus: 'Paused' })
    await fetchGsa(hours(1))
    await fetchGsa(hours(2))
    expect(await observed()).toEqual([
      { is_open: true, at: '2026-11-21T12:00:00Z', lots: 1 },
      { is_open: true, at: '2026-11-21T14:00:00Z', lots: 19 },
    ])
  })
})

describe('"not modified" is not trusted', () => {
  it('after another load has written lots of the source', async () => {
    standing.file = { etag: '"f1"' }
    await fetchGsa()
    await ingestion.load([liveRow('other')], { partial: true, now: hours(0.1) })
    forget()
    expect(await fetchGsa(hours(1))).toMatchObject({ is_unchanged: false, lots_withdrawn: 0 })
    expect(files.asked[0]?.headers['if-none-match']).toBeUndefined()
    // The second answer that lacks the other lot.
    expect(await fetchGsa(hours(2))).toMatchObject({ is_unchanged: true, lots_withdrawn: 1 })
  })

  it('when the load of a newer file was killed, and the older file is back', async () => {
    standing.file = { etag: '"f1"' }
    await fetchGsa()
    Object.assign(standing, { lots: gsaLots(30), file: { etag: '"f2"' } })
    // The load waits in a statement that would write, after it has forgotten the copy, and is
    // killed there.
    const blocker = openAdminConnection(ingestion.url)
    await ingestion.sql`select pg_advisory_lock(${lockKey('loads')})`
    const killed = startSurplus(['ingest', 'gsa'], {
      DATABASE_URL: ingestion.url,
      GSA_API_URL: `${api.origin}/auctions`,
      GSA_API_KEY: KEY,
      GSA_REDIRECT_HOSTS: '127.0.0.1',
    })
    await untilBlocked(1)
    await blocker.begin(async held => {
      await held`update data_version set version = version`
      await ingestion.sql`select pg_advisory_unlock(${lockKey('loads')})`
      await vi.waitFor(async () => expect(await copies()).toEqual([{ copy: null }]), WAIT)
      await untilBlocked(1)
      await killed.end('SIGKILL')
    })
    await blocker.end()
    Object.assign(standing, { lots: gsaLots(20), file: { etag: '"f1"' } })
    await untilBlocked(0)
    forget()
    expect(await fetchGsa(hours(1))).toMatchObject({ is_unchanged: false, state: 'done' })
    expect(files.asked[0]?.headers['if-none-match']).toBeUndefined()
    expect((await ingestion.sql`select from lots where is_open`).length).toBe(20)
  })
})

const WAIT = { timeout: 100_000, interval: 50 }
const copies = () => ingestion.sql`select copy from sweeps where source = 'gsa'`

async function untilBlocked(sessions: number): Promise<void> {
  await vi.waitFor(async () => {
    const blocked = await ingestion.sql`
      select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
    expect(blocked).toHaveLength(sessions)
  }, WAIT)
}
