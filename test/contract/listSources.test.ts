import { readFileSync } from 'node:fs'
import { beforeAll, describe, expect, it } from 'vitest'
import type { Plan } from '../../src/contract/plans.ts'
import { projectFile } from '../../src/contract/projectFile.ts'
import type { Schemas } from '../../src/contract/types.ts'
import { PORTAL_FEEDS } from '../../src/infra/sources/feeds.ts'
import { OFFICIAL_SOURCES } from '../../src/infra/sources/registry.ts'
import { DAY, fromNow, HOUR, insertLots, NOW } from '../support/lots/fixtures.ts'
import { serviceFor } from '../support/service/start.ts'
import { callsOf } from '../support/service/usage.ts'

const PATH = '/api/v1/sources'
const tracked = JSON.parse(readFileSync(projectFile('data', 'sources.json'), 'utf8')) as {
  key: string
  name: string
}[]

const FEEDS = [OFFICIAL_SOURCES.sam!.description!, ...PORTAL_FEEDS].filter(
  ({ key }) => !tracked.some(source => source.key === key),
)

describe('listSources', () => {
  const api = serviceFor({ now: NOW, opensSeenPages: true })

  beforeAll(async () => {
    await insertLots(api.sql, [
      { slug: 'live-1' },
      { slug: 'live-2', ends_at: 'infinity', starts_at: '-infinity' },
      { slug: 'opens-tomorrow', starts_at: fromNow(DAY), ends_at: fromNow(2 * DAY) },
      { slug: 'over', ends_at: fromNow(-HOUR) },
      { slug: 'closed', is_open: false, outcome: 'withdrawn' },
      { slug: 'elsewhere', source: 'mibid' },
    ])
  })

  it('200 lists every tracked source once, by key, with its name', async () => {
    const { status, body } = await api.get(PATH)
    expect(status).toBe(200)
    expect(Object.keys(body)).toEqual(['data'])
    expect(namesOf(body.data)).toEqual(
      [...tracked, ...FEEDS]
        .map(({ key, name }) => [key, name])
        .sort(([a = ''], [b = '']) => (a < b ? -1 : 1)),
    )
  })

  it('200 counts the lots that are live at the moment of asking', async () => {
    const counts = async (now: Date) => {
      api.clock.now = now
      const { data } = (await api.get(PATH)).body as Schemas['SourceList']
      return ['gsa', 'mibid', 'usps'].map(
        key => data.find(({ source }) => source === key)?.live_count,
      )
    }
    expect(await counts(NOW)).toEqual([2, 1, 0])
    expect(await counts(fromNow(DAY - 1)), 'a millisecond before the ends').toEqual([2, 1, 0])
    expect(await counts(fromNow(DAY)), 'two ended, one opened').toEqual([2, 0, 0])
    expect(await counts(fromNow(2 * DAY)), 'only the one without an end is left').toEqual([1, 0, 0])
    expect(await counts(fromNow(-2 * HOUR)), 'before one of them was over').toEqual([3, 1, 0])
  })

  it('200 tells in UTC when a source was last read well, null if never', async () => {
    await api.sql`update sources set last_success_at = '2026-11-21 03:30:00.999-06' where source = 'gsa'`
    const { data } = (await api.get(PATH)).body as Schemas['SourceList']
    expect(data.find(({ source }) => source === 'gsa')?.last_success_at).toBe(
      '2026-11-21T09:30:00Z',
    )
    expect(data.find(({ source }) => source === 'usps')?.last_success_at).toBeNull()
  })

  it('200 tells in UTC when its publisher changed a source last, null where it does not say', async () => {
    await api.sql`update sources set publisher_changed_at = '2026-11-21 03:30:00.999-06' where source = 'hud'`
    const { data } = (await api.get(PATH)).body as Schemas['SourceList']
    expect(data.find(({ source }) => source === 'hud')?.publisher_changed_at).toBe(
      '2026-11-21T09:30:00Z',
    )
    expect(data.find(({ source }) => source === 'usps')?.publisher_changed_at).toBeNull()
  })

  it('400 for any parameter: the operation takes none', async () => {
    for (const query of ['page=1', 'source=gsa', 'x', '=', '%20', 'q=%00', 'q=%ff', 'q=%zz']) {
      const { status, body } = await api.get(`${PATH}?${query}`)
      expect([query, status, body.code]).toEqual([query, 400, 'invalid_request'])
    }
    const { body } = await api.get(`${PATH}?page=1`)
    expect(body.error).toBe('Unknown parameter "page". This operation takes none.')
    expect((await api.get(`${PATH}?`)).status, 'an empty query').toBe(200)
  })

  it.each<[Plan, string, number]>([
    ['free', '1000', 60],
    ['pro', '1000', 120],
    ['pro_plus', '10000', 300],
    ['enterprise', '100000', 600],
  ])('429 after the month and the minute of the %s plan', async (plan, month, minute) => {
    const key = await api.makeKey(plan)
    expect((await api.get(PATH, { key })).headers['ratelimit-limit']).toBe(month)
    await api.sql`update burst_usage set used = ${minute - 1} where used = 1`
    expect((await api.get(PATH, { key })).status, `call ${minute} of the minute`).toBe(200)
    expect((await api.get(PATH, { key })).body.code).toBe('burst_rate_exceeded')
    await api.sql`delete from burst_usage`
    await api.sql`update monthly_usage set used = ${Number(month) - 1} where used = 2`
    const last = await api.get(PATH, { key })
    expect(
      [last.status, last.headers['ratelimit-remaining']],
      `call ${month} of the month`,
    ).toEqual([200, '0'])
    expect((await api.get(PATH, { key })).body.code).toBe('monthly_quota_exceeded')
    await api.sql`delete from monthly_usage`
    await api.sql`delete from burst_usage`
  })

  it('500 internal_error when the counters fail: an uncounted call is not let through', async () => {
    const key = await api.makeKey('free', { owner: 'uncounted' })
    await api.sql`alter function charge_calls rename to charge_calls_hidden`
    const { status, body, text } = await api.get(PATH, { key })
    await api.sql`alter function charge_calls_hidden rename to charge_calls`
    expect([status, body.code]).toEqual([500, 'internal_error'])
    expect(text).not.toMatch(/charge_calls|function|42883/)
    expect(await callsOf(api.sql, 'uncounted')).toBe(0)
    expect((await api.get(PATH, { key })).status, 'when it is fixed').toBe(200)
  })
})

function namesOf(sources: Schemas['Source'][]): string[][] {
  return sources.map(({ source, name }) => [source, name])
}
