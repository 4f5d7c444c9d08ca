import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { projectFile } from '../../src/contract/projectFile.ts'
import type { Sql } from '../../src/infra/postgres/database.ts'
import { migrate } from '../../src/infra/postgres/migrations.ts'
import { type FreshDatabase, freshDatabase } from '../support/database/database.ts'
import { factsOf, restoreRelease } from '../support/database/released.ts'
import { insertLots } from '../support/lots/fixtures.ts'
import { needs } from '../support/run/needs.ts'
import { forOneTest, temporaryFolder } from '../support/run/shared.ts'
import { start, type TestService } from '../support/service/start.ts'

const KEPT = {
  // Made by migrations of the next release.
  accounts: '{costs,is_time_zone_known}',
  keys: '{is_revoked}',
  sessions: '',
  monthly_usage: '',
  operation_usage: '',
  operation_calls: '',
  quota_mails: '',
  alert_endpoints: '',
  // Its place in the log of changes and in the queue of mails are those of its database.
  saved_searches: '{since_change,mail_since,mail_due_at}',
}
const HAS_PSQL = spawnSync('psql', ['--version']).error === undefined
const facts = factsOf('1.0.0')

/** The rows of people, table by table, in an order of their own. */
async function rowsOf(sql: Sql): Promise<Record<string, string[]>> {
  const tables = Object.entries(KEPT).map(async ([table, left]) => {
    const rows = await sql<{ text: string }[]>`
      select (to_jsonb(kept) - ${left || '{}'}::text[])::text as text
      from ${sql(table)} kept
      order by 1`
    return [table, rows.map(({ text }) => text)] as const
  })
  return Object.fromEntries(await Promise.all(tables))
}

describe(
  'a database of an unreleased version',
  needs(HAS_PSQL, 'psql (apt-get install postgresql-client)'),
  () => {
    const folder = temporaryFolder()
    let old: FreshDatabase

    const keepAccounts = (to: FreshDatabase) => {
      const { status, stdout, stderr } = spawnSync(
        projectFile('deploy', 'keepAccounts.sh'),
        [old.url, to.url],
        {
          encoding: 'utf8',
          env: { ...process.env, TMPDIR: folder },
        },
      )
      return { status, stdout, stderr }
    }

    beforeAll(async () => {
      old = await restoreRelease('1.0.0')
      const unreleased = readFileSync(join(import.meta.dirname, 'unreleased.sql.gz'))
      await old.sql.unsafe(gunzipSync(unreleased).toString())
      await old.sql`update alert_endpoints set old_secret = 'whsec_before', old_secret_until = ${facts.as_of}`
      await old.sql`update saved_searches set mail_since = created_at, mail_due_at = created_at where id = 1`
    })
    afterAll(() => old?.drop())

    it('is refused, and the refusal leads to the script', async () => {
      await expect(migrate(old.sql)).rejects.toThrow('docs/operating.md#a-database-from-before-100')
      const guide = readFileSync(projectFile('docs', 'operating.md'), 'utf8')
      const [, section = ''] = guide.split('### A database from before 1.0.0\n')
      expect(section.split('\n## ')[0]).toContain('deploy/keepAccounts.sh "$OLD_URL" "$NEW_URL"')
    })

    it('keeps its people nowhere where one of its columns is unknown, which the script names', async () => {
      const to = await forOneTest(freshDatabase())
      await old.sql`alter table saved_searches add column color text`
      const { status, stderr } = keepAccounts(to)
      await old.sql`alter table saved_searches drop column color`
      expect(status).not.toBe(0)
      expect(stderr).toContain('column "color" of relation "saved_searches" does not exist')
      expect(Object.values(await rowsOf(to.sql)).flat()).toEqual([])
      expect(readdirSync(folder)).toEqual([])
    })

    describe('by deploy/keepAccounts.sh, in a new database with lots', () => {
      let api: TestService
      let ran: ReturnType<typeof keepAccounts>

      beforeAll(async () => {
        const database = await freshDatabase()
        await insertLots(database.sql, [
          { slug: 'truck', ends_at: new Date(Date.now() + 86_400_000) },
        ])
        ran = keepAccounts(database)
        api = await start({ database, now: new Date(facts.as_of), opensSeenPages: false })
      })
      afterAll(() => api?.close())

      it('has every row of its people, secrets too, and leaves no file behind', async () => {
        const counts =
          '12 accounts, 12 keys, 4 saved searches and watched lots, 1 webhook endpoints'
        expect(ran).toEqual({ status: 0, stdout: `Copied ${counts}.\n`, stderr: '' })
        const before = await rowsOf(old.sql)
        expect(await rowsOf(api.sql)).toEqual(before)
        for (const table of Object.keys(KEPT))
          expect([table, before[table]!.length]).not.toEqual([table, 0])
        expect(before.alert_endpoints!.join()).toContain('whsec_before')
        expect(before.saved_searches!.filter(row => !row.includes('"lot_id": null'))).toHaveLength(
          1,
        )
        expect(readdirSync(folder)).toEqual([])
      })

      it('takes every key, and counts its calls on from where the month was', async () => {
        const called = async (key: string) => {
          const { status, headers } = await api.get('/api/v1/sources', { key: facts.keys[key]! })
          return [status, headers['ratelimit-remaining']]
        }
        expect(await called('free')).toEqual([200, '148'])
        expect(await called('mine')).toEqual([200, '9998'])
        expect(await called('full_month')).toEqual([429, '0'])
        expect(await called('revoked')).toEqual([401, undefined])
      })

      it('still knows the session of an owner, who sees the saved searches', async () => {
        const browser = api.browser()
        browser.cookies.set('surplus-session', facts.session)
        const [search] = await old.sql`
        select s.name
        from saved_searches s
        join sessions on sessions.account_id = s.account_id
        where s.lot_id is null`
        expect((await browser.open('/account/alerts')).text).toContain(search!.name)
      })

      it('uses no id again, and what it had before is no news for a search', async () => {
        const [former] = await old.sql`select last_value from accounts_id_seq`
        const [added] =
          await api.sql`insert into accounts (owner) values ('next@example.com') returning id`
        expect(Number(added!.id)).toBe(Number(former!.last_value) + 1)
        const [log] = await api.sql`select last_change() as last`
        expect(Number(log!.last)).toBeGreaterThan(0)
        const searches =
          await api.sql`select distinct since_change, mail_since, mail_due_at from saved_searches`
        expect([...searches]).toEqual([
          { since_change: log!.last, mail_since: null, mail_due_at: null },
        ])
      })
    })
  },
)
