import pino from 'pino'
import { beforeAll, describe, expect, it } from 'vitest'
import { startAlertWorld } from '../support/alerts/alertWorld.ts'
import { runSurplusHere } from '../support/run/commandLine.ts'
import { shared } from '../support/run/shared.ts'
import { send } from '../support/service/rawHttp.ts'
import { startService } from '../support/service/service.ts'

const LOCAL = { metricsToken: null, publicUrl: 'http://localhost:8080' }
const world = shared(() => startAlertWorld(minutesAgo(10)))
const service = shared(() => startService(world.url, pino({ level: 'silent' }), LOCAL))

const minutesAgo = (minutes: number) => new Date(Date.now() - minutes * 60_000)

beforeAll(async () => {
  const { sql } = world
  const accountId = await world.makeAccount()
  const lotId = await world.makeLot()
  const searches = []
  for (const name of ['one', 'two', 'three']) searches.push(await world.makeSearch(accountId, name))
  const endpoints = []
  for (const path of ['good', 'failing', 'disabled'])
    endpoints.push((await world.makeEndpoint(accountId, `https://receiver.example/${path}`)).id)
  const [search, paused, watched] = searches
  await sql`update saved_searches set is_paused = true where id = ${paused!}`
  await sql`update saved_searches set lot_id = ${lotId} where id = ${watched!}`
  await sql`update alert_endpoints set failing_since = now() where id = ${endpoints[1]!}`
  await sql`update alert_endpoints set failing_since = now(), disabled_at = now() where id = ${endpoints[2]!}`
  const deliveries: string[] = []
  for (const minutes of [10, 5, -10, -1])
    deliveries.push(await world.makeDelivery(search!, lotId, endpoints[0]!, minutesAgo(minutes)))
  await sql`update alert_deliveries set leased_until = due_at where id = ${deliveries[3]!}`
  await sql`update alert_matches set matched_at = ${minutesAgo(1)} where id in (select match_id from alert_deliveries limit 3)`
  const attempts: [minutes: number, status: number | null][] = [
    [1, 204],
    [2, 500],
    [3, null],
    [4, null],
    [6, 410],
    [60, 200],
    [1500, 200],
  ]
  for (const [minutes, status] of attempts)
    await sql`
      insert into alert_attempts (delivery_id, attempted_at, status, milliseconds, answer)
      values (${deliveries[0]!}, ${minutesAgo(minutes)}, ${status}, 1, '')`
  await sql`update alert_progress set position = last_change() - 3 where stream = 'changes'`
})

describe('surplus alerts', () => {
  it('prints what waits, the searches, the endpoints, and the matches and attempts of the last 24 hours', async () => {
    const { code, stdout } = await runSurplusHere(['alerts', '--json'], { DATABASE_URL: world.url })
    const state = JSON.parse(stdout)
    expect([code, state]).toEqual([
      0,
      {
        queue: {
          changes_to_match: 3,
          waiting: 2,
          oldest_seconds: expect.any(Number),
          under_way: 1,
          scheduled: 1,
        },
        searches: { active: 2, paused: 1, watched_lots: 1 },
        endpoints: { working: 1, failing: 1, disabled: 1 },
        failing_endpoints: [
          {
            id: expect.any(Number),
            account: expect.any(String),
            origin: 'https://receiver.example',
            failing_since: expect.stringMatching(/Z$/),
          },
        ],
        last_24h: { matches: 4, delivered: 2, rejected: 2, unanswered: 2 },
      },
    ])
    expect(state.queue.oldest_seconds).toBeGreaterThanOrEqual(600)
    expect(state.queue.oldest_seconds).toBeLessThan(700)
  })

  it('prints it as tables for people', async () => {
    const { stdout } = await runSurplusHere(['alerts'], { DATABASE_URL: world.url })
    expect(stdout).toMatch(
      /^queue\nchanges to match +waiting +oldest seconds +under way +scheduled\n3 +2 +6\d\d/,
    )
    expect(stdout).toMatch(
      /failing endpoints\nid +account +origin +failing since\n\d+ .* https:\/\/receiver\.example /,
    )
    expect(stdout).toContain('endpoints\nworking  failing  disabled\n1        1        1')
  })
})

describe('GET /metrics', () => {
  it('says how long messages wait, and what came of the attempts of the last five minutes', async () => {
    const { body } = await send(service.address, { method: 'GET', path: '/metrics', headers: {} })
    const value = (sample: string) => {
      const line = body.split('\n').find(one => one.startsWith(`${sample} `))
      return Number(line?.split(' ').at(-1) ?? Number.NaN)
    }
    expect(value('surplus_alert_queue_age_seconds')).toBeGreaterThanOrEqual(600)
    expect(value('surplus_alert_queue_age_seconds')).toBeLessThan(700)
    expect(value('surplus_alert_messages_waiting')).toBe(2)
    expect(value('surplus_alert_changes_to_match')).toBe(3)
    expect(value('surplus_alert_matches_last_5m')).toBe(3)
    const results = ['delivered', 'rejected', 'unanswered']
    const attempts = results.map(result =>
      value(`surplus_alert_attempts_last_5m{result="${result}"}`),
    )
    expect(attempts).toEqual([1, 1, 2])
  })
})
