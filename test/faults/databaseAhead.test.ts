import { chmodSync, existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { closeEndedLots } from '../../src/infra/ingestion/closings.ts'
import { readSweepHistories } from '../../src/infra/ingestion/sweeps.ts'
import { openAdminConnection } from '../../src/infra/postgres/database.ts'
import { migrate } from '../../src/infra/postgres/migrations.ts'
import { OFFICIAL_KEYS } from '../../src/infra/sources/registry.ts'
import { matchChanges } from '../../src/usecases/alerts/matchChanges.ts'
import { seedSources } from '../../src/usecases/ingestion/trackedSources.ts'
import { insertAccount, insertEndpoint, insertSearches } from '../support/alerts/savedSearches.ts'
import {
  type DebianServer,
  startDebianServer,
  WITH_DEBIAN_SERVER,
} from '../support/database/debianServer.ts'
import { DAY, HOUR, insertLots, MINUTE } from '../support/lots/fixtures.ts'
import { needs } from '../support/run/needs.ts'
import { shared } from '../support/run/shared.ts'
import { start } from '../support/service/start.ts'
import type { FormBrowser } from '../support/site/formBrowser.ts'

const LIBRARY = ['/usr/lib', '/usr/lib64']
  .flatMap(folder =>
    existsSync(folder) ? readdirSync(folder).map(name => join(folder, name)) : [],
  )
  .map(folder => join(folder, 'faketime', 'libfaketime.so.1'))
  .find(existsSync)
const WITH_FAKETIME = WITH_DEBIAN_SERVER.skip
  ? WITH_DEBIAN_SERVER
  : needs(LIBRARY, 'faketime (apt-get install faketime)')

/** A database whose clock can be set while it runs. */
interface SetDatabase {
  server: DebianServer
  setAhead(hours: number): Promise<void>
  stop(): void
}

async function startSetDatabase(): Promise<SetDatabase> {
  const folder = mkdtempSync(join(tmpdir(), 'surplus-clock-'))
  // So that the account of the server can read it.
  chmodSync(folder, 0o755)
  const clockFile = join(folder, 'offset')
  writeFileSync(clockFile, '+0')
  const server = await startDebianServer({
    LD_PRELOAD: LIBRARY!,
    FAKETIME_TIMESTAMP_FILE: clockFile,
    FAKETIME_NO_CACHE: '1',
    DONT_FAKE_MONOTONIC: '1',
  })
  return {
    server,
    stop: () => {
      server.stop()
      rmSync(folder, { recursive: true })
    },
    setAhead: async hours => {
      writeFileSync(clockFile, `+${hours}h`)
    },
  }
}

describe(
  'a PostgreSQL whose clock was two hours ahead for a few calls, and is right again',
  WITH_FAKETIME,
  () => {
    const database = shared(startSetDatabase)
    const api = shared(async () => {
      const url = database.server.urlOf('utf')
      const sql = openAdminConnection(url)
      await migrate(sql)
      await seedSources(sql)
      return start({ database: { url, sql, drop: () => sql.end() } })
    })
    let owner: FormBrowser
    let keys: Record<'full' | 'revoked' | 'replaced', string>
    const fromToday = (milliseconds: number) => new Date(Date.now() + milliseconds)
    const statusOf = async (key: string) => (await api.get('/api/v1/sources', { key })).status
    const linksTo = (address: string) => api.log().split(address).length - 1
    const requestLink = (address: string) => api.browser().submit('/account/sign-in', { address })
    const formOf = async (name: string, what: string) => {
      const page = await owner.open('/account')
      const row = page.body.split('<tr>').find(part => part.includes(`“${name}”`))
      return page.form(
        new RegExp(`action="([^"]*/${what})"`).exec(row ?? '')?.[1] ?? `${what} ${name}`,
      )
    }

    beforeAll(async () => {
      const { sql } = api
      owner = await api.signedIn('owner@ahead.example')
      keys = {
        full: await api.makeKey('enterprise', { perMinute: 2, monthly: 1_000 }),
        revoked: await owner.newKey('revoked'),
        replaced: await owner.newKey('replaced'),
      }
      const account = await insertAccount(sql)
      const endpoint_ids = [await insertEndpoint(sql, account)]
      await insertSearches(
        sql,
        [{ account_id: account, endpoint_ids, cadence: 'instant' }],
        fromToday(-HOUR),
      )
      await matchChanges(sql, { now: null })
      await insertLots(sql, [
        {
          slug: 'ends-soon',
          starts_at: fromToday(-9 * HOUR),
          ends_at: fromToday(HOUR),
          current_bid_cents: 5_000,
          num_bids: 1,
        },
        {
          slug: 'goes-on',
          starts_at: fromToday(-9 * HOUR),
          ends_at: fromToday(9 * DAY),
          current_bid_cents: 5_000,
          num_bids: 1,
        },
      ])

      await database.setAhead(2)
      const [row] = await sql`select now() > ${fromToday(119 * MINUTE)} as "isAhead"`
      expect(row).toEqual({ isAhead: true })
      expect([
        await statusOf(keys.full),
        await statusOf(keys.full),
        await statusOf(keys.full),
      ]).toEqual([200, 200, 429])
      for (let n = 0; n < 4; n++) await requestLink('asks@ahead.example')
      expect(linksTo('asks@ahead.example')).toBe(3)
      await (await formOf('revoked', 'revoke')).submit()
      await (await formOf('replaced', 'rotate')).submit({ hours: '0' })
      await sql`
      insert into sweeps (source, last_attempt_at, finished_at, outcome, failures, wait_until)
      values ('gsa', now(), now(), 'refused', 1, now() + interval '1 hour')`
      await closeEndedLots(sql, null)
      await matchChanges(sql, { now: null })
      await database.setAhead(0)
    })

    it('grants a minute to a key that was used up, and refuses it again after as many calls', async () => {
      expect([
        await statusOf(keys.full),
        await statusOf(keys.full),
        await statusOf(keys.full),
      ]).toEqual([200, 200, 429])
    })

    it('refuses the keys that were revoked or replaced', async () => {
      expect([await statusOf(keys.revoked), await statusOf(keys.replaced)]).toEqual([401, 401])
    })

    it('sends sign-in links, as many as in any quarter of an hour', async () => {
      for (let n = 0; n < 4; n++) await requestLink('asks@ahead.example')
      expect(linksTo('asks@ahead.example')).toBe(6)
    })

    it('has a source fetched again', async () => {
      const history = (await readSweepHistories(api.sql, OFFICIAL_KEYS)).find(
        ({ source }) => source === 'gsa',
      )
      expect(history).toMatchObject({ lastAttemptAt: null, waitUntil: null })
    })

    it('has the lot that it closed too early on offer again, and reports what changes next', async () => {
      await matchChanges(api.sql, { now: null })
      const open = await api.sql`select slug from lots where is_open order by slug`
      expect(open.map(({ slug }) => slug)).toEqual(['ends-soon', 'goes-on'])
      await api.sql`delete from alert_matches`
      await api.sql`update lots set current_bid_cents = 6000, num_bids = 2 where slug = 'goes-on'`
      await matchChanges(api.sql, { now: null })
      const found = await api.sql`select kind from alert_matches where kind = 'bid'`
      expect(found).toHaveLength(1)
      const late =
        await api.sql`select from alert_deliveries where due_at > now() + interval '1 hour'`
      expect(late).toHaveLength(0)
    })
  },
)
