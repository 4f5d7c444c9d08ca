import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { PLANS } from '../../src/contract/plans.ts'
import { openAdminConnection, type Sql } from '../../src/infra/postgres/database.ts'
import { queueDueMails } from '../support/alerts/deliverer.ts'
import { type FreshDatabase, freshDatabase } from '../support/database/database.ts'
import { insertLots, MINUTE } from '../support/lots/fixtures.ts'

let database: FreshDatabase
let sql: Sql
let lotId: string

beforeAll(async () => {
  database = await freshDatabase()
  sql = openAdminConnection(database.url)
  lotId = (await insertLots(sql, [{ slug: 'truck' }]))[0]!
})
afterAll(async () => {
  await sql.end()
  await database.drop()
})

const at = (iso: string) => new Date(iso)
let made = 0

interface Draft {
  plan?: string
  cadence?: string
  time_zone?: string
  digest_hour?: number
  quiet_from?: number
  quiet_until?: number
  by_mail?: boolean
}

async function account(plan: string): Promise<number> {
  const [row] = await sql<{ id: number }[]>`
    insert into accounts (owner, plan) values (${`owner${++made}@example.com`}, ${plan}) returning id`
  return row!.id
}

async function search({ plan = 'pro_plus', ...draft }: Draft = {}): Promise<number> {
  const row = {
    account_id: await account(plan),
    name: 'Trucks',
    query: '{}',
    kinds: ['bid'],
    cadence: 'instant',
    created_at: at('2026-01-01T00:00:00Z'),
    ...draft,
  }
  const [found] = await sql<{ id: number }[]>`insert into saved_searches ${sql(row)} returning id`
  return found!.id
}

/** Another bid on the lot matches. */
async function match(searchId: number, when: string): Promise<void> {
  await sql`
    insert into alert_matches (search_id, lot_id, kind, value, num_bids, ends_at, observed_at, matched_at)
    values (${searchId}, ${lotId}, 'bid', ${String(++made)}, 1, 'infinity', ${at(when)}, ${at(when)})`
}

/** The mails of a search: when each was made, and how many matches it lists. */
const mailsOf = async (searchId: number) =>
  (
    await sql<{ at: string; matches: number }[]>`
      select rfc3339(created_at) as at, (select count(*) from alert_matches where mail_id = d.id) as matches
      from alert_deliveries d
      where search_id = ${searchId} and endpoint_id is null and kind = 'digest'
      order by created_at`
  ).map(({ at, matches }) => [at, matches])

/** Lets the clock run, with a tick at each step. */
async function run(from: string, to: string, stepMinutes = 5): Promise<void> {
  for (let time = at(from).getTime(); time <= at(to).getTime(); time += stepMinutes * MINUTE)
    await queueDueMails(sql, new Date(time))
}

/** Each hour a match, and then a tick. */
async function matchHourly(searchId: number, from: string, hours: number): Promise<void> {
  for (let hour = 0; hour < hours; hour++) {
    const now = new Date(at(from).getTime() + hour * 60 * MINUTE).toISOString()
    await match(searchId, now)
    await run(now, now)
  }
}

describe('mail at once', () => {
  it('goes out with the first match, then at most once in 15 minutes, with all that came meanwhile', async () => {
    const id = await search()
    await match(id, '2026-05-05T10:00:00Z')
    await run('2026-05-05T10:00:00Z', '2026-05-05T10:00:00Z')
    for (const minute of ['01', '04', '09']) await match(id, `2026-05-05T10:${minute}:00Z`)
    await run('2026-05-05T10:09:00Z', '2026-05-05T10:40:00Z', 1)
    await match(id, '2026-05-05T10:40:00Z')
    await run('2026-05-05T10:40:00Z', '2026-05-05T10:41:00Z', 1)
    expect(await mailsOf(id)).toEqual([
      ['2026-05-05T10:00:00Z', 1],
      ['2026-05-05T10:15:00Z', 3],
      ['2026-05-05T10:40:00Z', 1],
    ])
  })

  it('is a daily digest in a plan without it', async () => {
    const id = await search({ plan: 'pro' })
    expect(PLANS.pro.alerts.isInstant).toBe(false)
    await match(id, '2026-05-05T10:00:00Z')
    await run('2026-05-05T10:00:00Z', '2026-05-06T12:00:00Z', 60)
    expect(await mailsOf(id)).toEqual([['2026-05-06T08:00:00Z', 1]])
  })

  it.each([
    // 22:00 to 7:00 in New York. On March 8, 2026 the clocks go from 2:00 to 3:00; on November 1 from 2:00 back to 1:00.
    ['an ordinary night', 22, 7, '2026-05-05T03:00:00Z', '2026-05-05T11:00:00Z'],
    ['the night that lacks an hour', 22, 7, '2026-03-08T04:00:00Z', '2026-03-08T11:00:00Z'],
    ['the night with an hour more', 22, 7, '2026-11-01T03:00:00Z', '2026-11-01T12:00:00Z'],
    ['the early morning', 22, 7, '2026-03-08T09:30:00Z', '2026-03-08T11:00:00Z'],
    ['hours that do not cross midnight', 9, 17, '2026-05-05T13:00:00Z', '2026-05-05T21:00:00Z'],
    ['the minute before them', 9, 17, '2026-05-05T12:59:00Z', '2026-05-05T12:59:00Z'],
  ])('waits for the end of quiet hours in %s', async (_hours, quiet_from, quiet_until, matched, mailed) => {
    const id = await search({ time_zone: 'America/New_York', quiet_from, quiet_until })
    await match(id, matched)
    const end = new Date(at(mailed).getTime() + 60 * MINUTE).toISOString()
    await run(matched, end, 30)
    expect(await mailsOf(id)).toEqual([[mailed, 1]])
  })

  it('is sent in quiet hours no more when a process was away until then', async () => {
    const id = await search({ quiet_from: 22, quiet_until: 7 })
    await match(id, '2026-05-05T21:50:00Z')
    await run('2026-05-05T23:00:00Z', '2026-05-06T08:00:00Z', 60)
    expect(await mailsOf(id)).toEqual([['2026-05-06T07:00:00Z', 1]])
  })

  it('follows settings that were changed while it waited', async () => {
    const id = await search({ cadence: 'weekly' })
    await match(id, '2026-05-05T10:00:00Z')
    await run('2026-05-05T10:00:00Z', '2026-05-05T11:00:00Z')
    await sql`update saved_searches set cadence = 'instant' where id = ${id}`
    await run('2026-05-05T11:05:00Z', '2026-05-05T11:05:00Z')
    expect(await mailsOf(id)).toEqual([['2026-05-05T11:05:00Z', 1]])
  })
})

describe('a digest', () => {
  it('goes out at the local hour, before and after the clocks change', async () => {
    const spring = await search({ cadence: 'daily', time_zone: 'America/New_York', digest_hour: 8 })
    const autumn = await search({ cadence: 'daily', time_zone: 'America/New_York', digest_hour: 8 })
    await matchHourly(spring, '2026-03-07T00:00:00Z', 72)
    expect(await mailsOf(spring)).toEqual([
      ['2026-03-07T13:00:00Z', 14],
      ['2026-03-08T12:00:00Z', 23],
      ['2026-03-09T12:00:00Z', 24],
    ])
    await matchHourly(autumn, '2026-10-31T00:00:00Z', 72)
    expect(await mailsOf(autumn)).toEqual([
      ['2026-10-31T12:00:00Z', 13],
      ['2026-11-01T13:00:00Z', 25],
      ['2026-11-02T13:00:00Z', 24],
    ])
  })

  it('goes out once a day, at an hour that the clocks skip or repeat too', async () => {
    const skipped = await search({ cadence: 'daily', time_zone: 'America/New_York', digest_hour: 2 })
    const repeated = await search({ cadence: 'daily', time_zone: 'America/New_York', digest_hour: 1 })
    await matchHourly(skipped, '2026-03-07T00:00:00Z', 72)
    await matchHourly(repeated, '2026-10-31T00:00:00Z', 72)
    // What still waits on March 10 is mailed in October.
    expect((await mailsOf(skipped)).slice(0, 3).map(([mailed]) => mailed)).toEqual([
      '2026-03-07T07:00:00Z',
      '2026-03-08T07:00:00Z',
      '2026-03-09T06:00:00Z',
    ])
    expect((await mailsOf(repeated)).map(([mailed]) => mailed)).toEqual([
      '2026-10-31T05:00:00Z',
      '2026-11-01T06:00:00Z',
      '2026-11-02T06:00:00Z',
    ])
  })

  it('goes out on Monday, with all of the week', async () => {
    const id = await search({ cadence: 'weekly', time_zone: 'America/Los_Angeles', digest_hour: 6 })
    await match(id, '2026-05-05T10:00:00Z')
    await run('2026-05-05T10:00:00Z', '2026-05-09T10:00:00Z', 120)
    await match(id, '2026-05-10T10:00:00Z')
    await run('2026-05-10T10:00:00Z', '2026-05-19T10:00:00Z', 60)
    expect(await mailsOf(id)).toEqual([['2026-05-11T13:00:00Z', 2]])
  })

  it('is not made for a search that is paused or wants no mail, also when it wants some again later', async () => {
    const paused = await search({ cadence: 'daily' })
    const silent = await search({ by_mail: false })
    for (const id of [paused, silent]) await match(id, '2026-05-05T10:00:00Z')
    await sql`update saved_searches set is_paused = true where id = ${paused}`
    await run('2026-05-05T10:00:00Z', '2026-05-06T10:00:00Z', 60)
    await sql`update saved_searches set is_paused = false, by_mail = true where id in ${sql([paused, silent])}`
    await match(silent, '2026-05-06T10:00:00Z')
    await run('2026-05-06T10:00:00Z', '2026-05-07T10:00:00Z', 60)
    expect(await mailsOf(paused)).toEqual([])
    expect(await mailsOf(silent)).toEqual([['2026-05-06T10:00:00Z', 1]])
  })

  it('lists each match once while several processes make mails and others add matches', async () => {
    const id = await search()
    const processes = await Promise.all(
      Array.from({ length: 4 }, async () => openAdminConnection(database.url)),
    )
    // Each tick is 15 minutes after the one before, so that none is held back.
    let minutes = 0
    const ticks = processes.map(async one => {
      for (let tick = 0; tick < 40; tick++) {
        minutes += 15
        await queueDueMails(one, new Date(at('2026-06-01T00:00:00Z').getTime() + minutes * MINUTE))
      }
    })
    for (let index = 0; index < 100; index++) await match(id, '2026-06-01T00:00:00Z')
    await Promise.all(ticks)
    await run('2026-07-01T00:00:00Z', '2026-07-01T00:15:00Z')
    await Promise.all(processes.map(one => one.end()))
    const mails = await mailsOf(id)
    expect(mails.reduce((sum, [, matches]) => sum + Number(matches), 0)).toBe(100)
    expect(mails.every(([, matches]) => Number(matches) > 0)).toBe(true)
  })

  it('is not lost when a match commits while the mail is being made', async () => {
    const id = await search()
    await match(id, '2026-05-05T10:00:00Z')
    const other = openAdminConnection(database.url)
    await other.begin(async open => {
      await open`
        insert into alert_matches (search_id, lot_id, kind, value, num_bids, ends_at, observed_at, matched_at)
        values (${id}, ${lotId}, 'bid', 'late', 1, 'infinity', now(), ${at('2026-05-05T10:00:01Z')})`
      await run('2026-05-05T10:00:02Z', '2026-05-05T10:00:02Z')
      expect(await mailsOf(id), 'another process holds the search').toEqual([])
    })
    await other.end()
    await run('2026-05-05T10:00:03Z', '2026-05-05T10:00:03Z')
    expect(await mailsOf(id)).toEqual([['2026-05-05T10:00:03Z', 2]])
  })
})

describe('mails about the use of a month', () => {
  beforeAll(async () => {
    await sql`update quota_check set checked_at = 'epoch'`
  })

  const quotaMails = async (accountId: number) =>
    (
      await sql<{ content: { percent: number; used: number; most: number } }[]>`
        select content from alert_deliveries where account_id = ${accountId} and kind = 'quota' order by created_at`
    ).map(({ content: { percent, used, most } }) => [percent, used, most])

  async function withKey(plan: string, ownLimit: number | null = null): Promise<number> {
    const id = await account(plan)
    await sql`
      insert into keys (account_id, secret_hash, hint, calls_per_month)
      values (${id}, ${Buffer.from(String(id))}, '0000', ${ownLimit})`
    return id
  }

  const use = (accountId: number, used: number, month = '2026-05-01') => sql`
    insert into monthly_usage (meter, month, used) values (${`account:${accountId}`}, ${month}, ${used})
    on conflict (meter, month) do update set used = excluded.used`

  it('go out once at 80 % and once at 100 %, over all processes, and again the next month', async () => {
    const id = await withKey('free')
    const processes = Array.from({ length: 4 }, () => openAdminConnection(database.url))
    const tick = (iso: string) => Promise.all(processes.map(one => queueDueMails(one, at(iso))))
    await use(id, 799)
    await tick('2026-05-05T10:00:00Z')
    expect(await quotaMails(id)).toEqual([])
    await use(id, 800)
    await tick('2026-05-05T10:00:30Z')
    expect(await quotaMails(id), 'counters are looked at once a minute').toEqual([])
    for (const minute of ['01', '02']) await tick(`2026-05-05T10:${minute}:00Z`)
    expect(await quotaMails(id)).toEqual([[80, 800, 1000]])
    await use(id, 1000)
    for (const minute of ['03', '04']) await tick(`2026-05-05T10:${minute}:00Z`)
    await use(id, 850, '2026-06-01')
    await tick('2026-06-05T10:00:00Z')
    await Promise.all(processes.map(one => one.end()))
    expect(await quotaMails(id)).toEqual([
      [80, 800, 1000],
      [100, 1000, 1000],
      [80, 850, 1000],
    ])
  })

  it('follow the largest limit of the keys of the account', async () => {
    const special = await withKey('free', 5_000)
    await use(special, 3_000, '2026-07-01')
    await queueDueMails(sql, at('2026-07-05T10:00:00Z'))
    expect(await quotaMails(special)).toEqual([])
    await use(special, 6_000, '2026-07-01')
    await queueDueMails(sql, at('2026-07-05T10:01:00Z'))
    expect(await quotaMails(special), 'all at once: one mail').toEqual([[100, 6_000, 5_000]])
  })
})
