import { describe, expect, it } from 'vitest'
import demo from '../../data/demo/alerts.json' with { type: 'json' }
import { loadDemo } from '../../src/commands/demo.ts'
import { runSurplus } from '../support/run/commandLine.ts'
import { serviceFor } from '../support/service/start.ts'
import { PUBLIC_URL } from '../support/service/testSettings.ts'

const surplus = (...args: string[]) =>
  runSurplus(args, { DATABASE_URL: site.databaseUrl, LOG_LEVEL: 'silent' })

async function runCommand(args: string[]): Promise<void> {
  const { code, stderr } = await surplus(...args)
  if (code !== 0) throw new Error(stderr)
}

const site = serviceFor({ settings: { runCommand } })

function press(origin = PUBLIC_URL): Promise<Response> {
  return fetch(`${site.address}/demo/mailbox`, {
    method: 'POST',
    headers: { Origin: origin },
    body: new URLSearchParams({ lot: 'add' }),
  })
}

describe('the alerts of a demo service', () => {
  it('add no lot where the data are live', async () => {
    expect((await press()).status).toBe(404)
    const { code, stderr } = await surplus('demo', '--like', '00000000-0000-0000-0000-000000000000')
    expect([code, stderr]).toEqual([1, 'The database does not hold demo data.\n'])
  })

  it('begin with an account with two saved searches that find lots, made once', async () => {
    const settings = { lots: 6000, sales: 300, seed: 1, now: new Date(), onProgress: () => {} }
    for (const lots of [6000, 10]) await loadDemo(site.sql, { ...settings, lots, withAlerts: true })
    site.deps.data.kind = 'demo'
    const searches = await site.sql`
      select s.name, s.cadence, a.plan
      from saved_searches s
      join accounts a on a.id = s.account_id
      where a.owner = ${demo.owner}
      order by s.id`
    expect(searches.map(({ name }) => name)).toEqual(demo.searches.map(({ name }) => name))
    expect(searches[0]).toMatchObject({ cadence: 'instant', plan: 'pro_plus' })
    const { code } = await surplus('deliver', '--once')
    expect(code).toBe(0)
    const found = await site.sql`select distinct search_id from alert_matches`
    expect(found).toHaveLength(2)
  }, 120_000)

  it('show a button that loads a lot which an instant search finds, and its mail arrives although one was sent before', async () => {
    const page = await (await fetch(`${site.address}/demo/mailbox`)).text()
    expect(page).toContain('Make a matching lot appear')
    const mails = () =>
      site.sql<{ subject: string; content: string }[]>`select subject, content from demo_mails order by id`
    const [before, lots] = [(await mails()).length, await countLots()]
    expect(before).toBe(1)
    for (const round of [1, 2]) {
      const answer = await press()
      expect([answer.status, await answer.text()]).toEqual([200, expect.stringContaining('under $15,000')])
      expect(await countLots()).toBe(lots + round)
      await surplus('deliver', '--once')
      const arrived = await mails()
      expect(arrived).toHaveLength(before + round)
      expect(arrived.at(-1)!.subject).toMatch(/^New lot: .*F-?150/i)
    }
  }, 120_000)

  it('add no lot for a form of another site, nor without an instant search, nor more than 20 in an hour', async () => {
    const lots = await countLots()
    expect((await press('https://evil.example')).status).toBe(403)
    await site.sql`update saved_searches set is_paused = true where cadence = 'instant'`
    expect(await (await press()).text()).toContain('No lot was loaded')
    let last = 200
    for (let more = 0; more < 20 && last === 200; more++) last = (await press()).status
    expect(last).toBe(429)
    expect(await countLots()).toBe(lots)
  })

  async function countLots(): Promise<number> {
    const [row] = await site.sql<{ lots: number }[]>`select count(*) as lots from lots`
    return row!.lots
  }
})
