import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { DAY, fromNow, HOUR, insertLots, MINUTE, NOW } from '../support/lots/fixtures.ts'
import { start, type TestService } from '../support/service/start.ts'
import { readPage } from '../support/site/readPage.ts'

let api: TestService

beforeAll(async () => {
  api = await start()
  api.clock.now = NOW
  await insertLots(api.sql, [{ slug: 'one', source: 'gsa' }])
})
beforeEach(async () => {
  await api.sql`update sources set last_success_at = null`
  await api.sql`delete from sweeps`
  await api.sql`update alert_progress set position = 0 where stream = 'clock'`
})
afterAll(() => api.close())

const words = async () => {
  const { status, words } = await readPage(`${api.address}/status`)
  expect(status).toBe(200)
  return words
}
const readAt = (source: string, time: Date) =>
  api.sql`update sources set last_success_at = ${time} where source = ${source}`
const matchedAt = (time: Date) =>
  api.sql`update alert_progress set position = ${time.getTime() / 1000} where stream = 'clock'`

it('says that everything works, since when, how old the data of each source is, and that alerts are sent', async () => {
  await readAt('gsa', fromNow(-12 * MINUTE))
  await matchedAt(fromNow(-10_000))
  const shown = await words()
  expect(shown).toContain('Everything works.')
  expect(shown).toMatch(/Site and API Up: this server since \w{3} \d+, \d{4}, \d+:\d\d [AP]M UTC/)
  expect(shown).toContain('Database Answers')
  expect(shown).toContain('Alerts Sent: 0 messages in the last hour')
  expect(shown).toContain('GSA Auctions 1 12 min ago Current')
})

it('says so before anything was read, and where alerts are not turned on', async () => {
  const shown = await words()
  expect(shown).toContain('Everything works.')
  expect(shown).toContain('No source has been read yet.')
  expect(shown).toContain('Alerts Not turned on')
})

it('names a source whose live lots were read more than a day ago', async () => {
  await readAt('gsa', fromNow(-DAY - HOUR))
  const shown = await words()
  expect(shown).not.toContain('Everything works.')
  expect(shown).toContain('GSA Auctions was last read 1 day 1 h ago. Its lots may have changed since.')
  expect(shown).toContain('GSA Auctions 1 1 day 1 h ago Out of date')
})

it('names a source whose next fetch is overdue by more than an hour, and none before', async () => {
  await readAt('gsa', fromNow(-2 * HOUR))
  const dueAt = (time: Date) => api.sql`
    insert into sweeps (source, last_attempt_at, next_due_at) values ('gsa', ${fromNow(-2 * HOUR)}, ${time})
    on conflict (source) do update set next_due_at = excluded.next_due_at`
  await dueAt(fromNow(-59 * MINUTE))
  expect(await words()).toContain('Everything works.')
  await dueAt(fromNow(-61 * MINUTE))
  expect(await words()).toContain('GSA Auctions was last read 2 h ago.')
})

it('says since when alerts are not sent, and how long the oldest one waits', async () => {
  await matchedAt(fromNow(-20 * MINUTE))
  await api.sql`
    with owner as (insert into accounts (owner) values ('late@example.com') returning id)
    insert into alert_deliveries (id, account_id, kind, created_at, due_at)
    select gen_random_uuid(), id, 'test', ${fromNow(-HOUR)}, ${fromNow(-40 * MINUTE)} from owner`
  const shown = await words()
  expect(shown).toContain('Alerts have not been sent since Nov 21, 2026, 9:10 AM UTC .')
  expect(shown).toContain('Alerts are late: the oldest has waited for 40 min.')
  expect(shown).toContain('Alerts Not sent since 20 min ago')
  await api.sql`delete from alert_deliveries`
})

it('answers while the database is away, and says so', async () => {
  const away = await start({ unreachable: true })
  try {
    const { status, words } = await readPage(`${away.address}/status`)
    expect(status).toBe(200)
    expect(words).toContain('The database does not answer.')
    expect(words).toContain('Alerts Not known')
  } finally {
    await away.close()
  }
})
