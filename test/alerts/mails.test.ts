import { beforeAll, describe, expect, it } from 'vitest'
import type { Plan } from '../../src/contract/plans.ts'
import type { MailTimes, SavedSearch } from '../../src/domain/alerts/savedSearch.ts'
import { openAdminConnection, type Sql } from '../../src/infra/postgres/database.ts'
import { startAlertWorld } from '../support/alerts/alertWorld.ts'
import { queueDueMails } from '../support/alerts/deliverer.ts'
import { HOUR, MINUTE } from '../support/lots/fixtures.ts'
import { forOneTest, shared } from '../support/run/shared.ts'

const world = shared(startAlertWorld)
let sql: Sql
let lotId: string

beforeAll(async () => {
  sql = world.sql
  lotId = await world.makeLot()
})

const at = (iso: string) => new Date(iso)
let made = 0

type Draft = Partial<Pick<SavedSearch, 'cadence' | 'by_mail'> & MailTimes> & { plan?: Plan }

async function search({
  plan = 'pro_plus',
  cadence = 'instant',
  by_mail = true,
  ...times
}: Draft = {}) {
  const account_id = await world.makeAccount(plan)
  await sql`update accounts set ${sql({ time_zone: 'UTC', ...times })} where id = ${account_id}`
  const row = {
    account_id,
    name: 'Trucks',
    query: '{}',
    kinds: ['bid'],
    cadence,
    by_mail,
    created_at: at('2026-01-01T00:00:00Z'),
  }
  const [found] = await sql<{ id: number }[]>`insert into saved_searches ${sql(row)} returning id`
  return found!.id
}

/** Another bid on the lot matches. */
async function match(searchId: number, when: string, by = sql, kind = 'bid'): Promise<void> {
  await by`
    insert into alert_matches (search_id, lot_id, kind, value, num_bids, ends_at, observed_at, matched_at)
    values (${searchId}, ${lotId}, ${kind}, ${String(++made)}, 1, 'infinity', ${at(when)}, ${at(when)})`
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
async function run(from: string, to = from, stepMinutes = 5): Promise<void> {
  for (let time = at(from).getTime(); time <= at(to).getTime(); time += stepMinutes * MINUTE)
    await queueDueMails(sql, new Date(time))
}

const hourly = (from: string, hours: number) =>
  Array.from({ length: hours }, (_, hour) =>
    new Date(at(from).getTime() + hour * HOUR).toISOString(),
  )

const NEW_YORK = { time_zone: 'America/New_York' }
const NIGHT = { ...NEW_YORK, quiet_from: 22, quiet_until: 7 }
const WORK = { ...NEW_YORK, quiet_from: 9, quiet_until: 17 }
const MONDAYS: Draft = { cadence: 'weekly', time_zone: 'America/Los_Angeles', digest_hour: 6 }
const daily = (digest_hour: number): Draft => ({ ...NEW_YORK, cadence: 'daily', digest_hour })
const BURST = ['00', '01', '04', '09', '40'].map(minute => `2026-05-05T10:${minute}:00Z`)
const [SPRING, AUTUMN] = [hourly('2026-03-07T00:00:00Z', 72), hourly('2026-10-31T00:00:00Z', 72)]

/**
 * When lots match (each is stored before the tick of its time), the first and the last tick and the
 * minutes between ticks, and the mails. On March 8, 2026 the clocks of New York go from 2:00 to
 * 3:00; on November 1 from 2:00 back to 1:00.
 */
type Story = [
  string,
  Draft,
  matches: string[],
  ticks: [from: string, to: string, step: number],
  RegExp,
]
const STORIES: Story[] = [
  [
    'at once goes out with the first match, then at most once in 15 minutes, with all that came meanwhile',
    {},
    BURST,
    ['2026-05-05T10:00:00Z', '2026-05-05T10:41:00Z', 1],
    /^2026-05-05T10:00 1, 2026-05-05T10:15 3, 2026-05-05T10:40 1$/,
  ],
  [
    'at once is a daily digest in a plan without it',
    { plan: 'pro' },
    BURST.slice(0, 1),
    ['2026-05-05T10:00:00Z', '2026-05-06T12:00:00Z', 60],
    /^2026-05-06T08:00 1$/,
  ],
  [
    'is not sent in quiet hours though a process was away until then',
    { quiet_from: 22, quiet_until: 7 },
    ['2026-05-05T21:50:00Z'],
    ['2026-05-05T23:00:00Z', '2026-05-06T08:00:00Z', 60],
    /^2026-05-06T07:00 1$/,
  ],
  [
    'of each day goes out at the local hour before and after the clocks go forward',
    daily(8),
    SPRING,
    [SPRING[0]!, SPRING[71]!, 60],
    /^2026-03-07T13:00 14, 2026-03-08T12:00 23, 2026-03-09T12:00 24$/,
  ],
  [
    'of each day goes out at the local hour before and after the clocks go back',
    daily(8),
    AUTUMN,
    [AUTUMN[0]!, AUTUMN[71]!, 60],
    /^2026-10-31T12:00 13, 2026-11-01T13:00 25, 2026-11-02T13:00 24$/,
  ],
  [
    'of each day goes out once at an hour that the clocks skip',
    daily(2),
    SPRING,
    [SPRING[0]!, SPRING[71]!, 60],
    /^2026-03-07T07:00 \d+, 2026-03-08T07:00 \d+, 2026-03-09T06:00 \d+$/,
  ],
  [
    'of each day goes out once at an hour that the clocks repeat',
    daily(1),
    AUTUMN,
    [AUTUMN[0]!, AUTUMN[71]!, 60],
    /^2026-10-31T05:00 \d+, 2026-11-01T06:00 \d+, 2026-11-02T06:00 \d+$/,
  ],
  [
    'of each week goes out on Monday, with all of the week',
    MONDAYS,
    ['2026-05-05T10:00:00Z', '2026-05-10T10:00:00Z'],
    ['2026-05-05T11:00:00Z', '2026-05-19T11:00:00Z', 120],
    /^2026-05-11T13:00 2$/,
  ],
  ...(
    [
      ['an ordinary night', NIGHT, '2026-05-05T03:00', '2026-05-05T11:00'],
      ['the night that lacks an hour', NIGHT, '2026-03-08T04:00', '2026-03-08T11:00'],
      ['the night with an hour more', NIGHT, '2026-11-01T03:00', '2026-11-01T12:00'],
      ['the early morning', NIGHT, '2026-03-08T09:30', '2026-03-08T11:00'],
      ['hours that do not cross midnight', WORK, '2026-05-05T13:00', '2026-05-05T21:00'],
      ['the minute before them', WORK, '2026-05-05T12:59', '2026-05-05T12:59'],
    ] as const
  ).map(([hours, draft, matched, mailed]): Story => {
    const [from, to] = [
      `${matched}:00Z`,
      new Date(at(`${mailed}:00Z`).getTime() + HOUR).toISOString(),
    ]
    const title = `waits for the end of quiet hours in ${hours}`
    return [title, draft, [from], [from, to, 30], new RegExp(`^${mailed} 1$`)]
  }),
]

describe('mail', () => {
  it.each(STORIES)('%s', async (_title, draft, matches, [from, to, stepMinutes], mails) => {
    const id = await search(draft)
    const waiting = [...matches]
    for (let time = at(from).getTime(); time <= at(to).getTime(); time += stepMinutes * MINUTE) {
      while (waiting[0] && at(waiting[0]).getTime() <= time) await match(id, waiting.shift()!)
      await queueDueMails(sql, new Date(time))
    }
    const made = await mailsOf(id)
    expect(
      made.map(([at, listed]) => `${at!.toString().slice(0, 16)} ${listed}`).join(', '),
    ).toMatch(mails)
  })

  it('follows settings that were changed while it waited', async () => {
    const id = await search({ cadence: 'weekly' })
    await match(id, '2026-05-05T10:00:00Z')
    await run('2026-05-05T10:00:00Z', '2026-05-05T11:00:00Z')
    await sql`update saved_searches set cadence = 'instant' where id = ${id}`
    await run('2026-05-05T11:05:00Z')
    expect(await mailsOf(id)).toEqual([['2026-05-05T11:05:00Z', 1]])
  })

  it('of the last hour of a watched lot is made at once on each plan, with what waited, unless it is quiet', async () => {
    const draft: Draft = { plan: 'free', cadence: 'daily', quiet_from: 22, quiet_until: 7 }
    const [watched, other] = [await search(draft), await search(draft)]
    await sql`update saved_searches set lot_id = ${lotId} where id = ${watched}`
    const ends = (iso: string) =>
      Promise.all([watched, other].map(id => match(id, iso, sql, 'ending')))
    for (const id of [watched, other]) await match(id, '2026-05-05T09:00:00Z')
    await run('2026-05-05T09:00:00Z', '2026-05-05T10:00:00Z', 60)
    await ends('2026-05-05T10:00:00Z')
    await run('2026-05-05T10:00:05Z', '2026-05-05T20:00:00Z', 60)
    expect(await mailsOf(watched)).toEqual([['2026-05-05T10:00:05Z', 2]])
    expect(await mailsOf(other)).toEqual([])
    await ends('2026-05-05T23:00:00Z')
    await run('2026-05-05T23:00:00Z', '2026-05-06T07:00:00Z', 60)
    expect((await mailsOf(watched)).at(-1)).toEqual(['2026-05-06T07:00:00Z', 1])
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
    const processes = Array.from({ length: 4 }, () => openAdminConnection(world.url))
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
    const other = await forOneTest(openAdminConnection(world.url))
    await other.begin(async open => {
      await match(id, '2026-05-05T10:00:01Z', open as never)
      await run('2026-05-05T10:00:02Z')
      expect(await mailsOf(id), 'another process holds the search').toEqual([])
    })
    await run('2026-05-05T10:00:03Z')
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

  async function withKey(plan: Plan, ownLimit: number | null = null): Promise<number> {
    const id = await world.makeAccount(plan)
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
    const processes = Array.from({ length: 4 }, () => openAdminConnection(world.url))
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
