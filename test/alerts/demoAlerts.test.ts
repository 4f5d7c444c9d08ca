import { describe, expect, it } from 'vitest'
import demo from '../../data/demo/alerts.json' with { type: 'json' }
import { DEMO_SIZE, loadDemo } from '../../src/commands/demo.ts'
import { runSurplus, runSurplusHere } from '../support/run/commandLine.ts'
import { serviceFor } from '../support/service/start.ts'

/** A deliverer lets go of the channel to its parent, which here is that of the tests. */
const surplus = (...args: string[]) =>
  (args[0] === 'deliver' ? runSurplus : runSurplusHere)(args, {
    DATABASE_URL: site.databaseUrl,
    LOG_LEVEL: 'silent',
  })

const site = serviceFor()

describe('the alerts of a demo service', () => {
  it('add no lot where the data are live', async () => {
    const { code, stderr } = await surplus('demo', '--like', '00000000-0000-0000-0000-000000000000')
    expect([code, stderr]).toEqual([1, 'The database does not hold demo data.\n'])
  })

  it('begin with an account with two saved searches that find lots, made once', async () => {
    // As a first start loads them: sales and scores come later.
    const settings = { ...DEMO_SIZE, now: new Date(), part: 'lots' as const, withAlerts: true }
    for (const lots of [DEMO_SIZE.lots, 10])
      await loadDemo(site.sql, { ...settings, lots, onProgress: () => {} })
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
  })

  it('find a lot that is added like another one, as README shows it', async () => {
    const subjects = async () =>
      (await site.sql<{ subject: string }[]>`select subject from demo_mails order by id`).map(
        mail => mail.subject,
      )
    const before = await subjects()
    await site.sql`update saved_searches set last_mail_at = null`
    const [found] = await site.sql<{ lot_id: string }[]>`
      select lot_id
      from alert_matches
      where search_id = (select min(search_id) from alert_matches)
      limit 1`
    expect((await surplus('demo', '--like', found!.lot_id)).code).toBe(0)
    const likes = await site.sql`
      select distinct bid_increment_cents, auction_name
      from lots
      where id = ${found!.lot_id} or source_id = (select max(source_id) from lots where source_id ~ '^[0-9]{13}$')`
    expect(likes, 'both have the same step and auction').toEqual([
      { bid_increment_cents: expect.any(Number), auction_name: expect.any(String) },
    ])
    await surplus('deliver', '--once')
    expect(await subjects()).toEqual([...before, expect.stringMatching(/^New lot: .*F-?150/i)])
  })
})
