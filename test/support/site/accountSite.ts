import { Writable } from 'node:stream'
import pino from 'pino'
import { listen, portOf } from '../../../src/http/server/server.ts'
import { openAdminConnection, type Sql } from '../../../src/infra/postgres/database.ts'
import type { DataKind } from '../../../src/infra/postgres/dataVersion.ts'
import { createService, type ServiceSettings } from '../../../src/service.ts'
import { freshDatabase } from '../database/database.ts'
import { PEPPER } from '../service/testSettings.ts'
import { FormBrowser } from './formBrowser.ts'

/** The account pages on a database of their own, with what they log. */
export interface AccountSite {
  address: string
  databaseUrl: string
  sql: Sql
  clock: { now: Date | null }
  /** What the service believes its data are: a serving process reads it from the database. */
  data: { kind: DataKind }
  /** All that was logged, as it was written. */
  log(): string
  /** The latest sign-in link that was logged, as a path of the site. */
  loggedLink(): string
  browser(): FormBrowser
  /** A browser that is signed in. */
  signedIn(address: string, headers?: Record<string, string>): Promise<FormBrowser>
  close(): Promise<void>
}

type Settings = Partial<
  Pick<ServiceSettings, 'mail' | 'stripe' | 'webhooks' | 'contactEmail' | 'publicUrl' | 'trustProxyHops'>
>

export async function startAccountSite(settings: Settings = {}): Promise<AccountSite> {
  const { publicUrl = 'http://surplus.test' } = settings
  const database = await freshDatabase()
  const sql = openAdminConnection(database.url)
  const clock: AccountSite['clock'] = { now: null }
  const lines: string[] = []
  const sink = new Writable({
    write: (chunk, _encoding, done) => {
      lines.push(String(chunk))
      done()
    },
  })
  const log = pino({ level: 'trace' }, sink)
  const service = await createService({
    databaseUrl: database.url,
    readConnections: 4,
    countConnections: 1,
    exportConnections: 1,
    pepper: PEPPER,
    trustProxyHops: 0,
    responseValidationShare: 0,
    log,
    now: () => clock.now,
    ...settings,
    publicUrl,
  })
  const server = await listen(service.app, '127.0.0.1', 0, { publicUrl, log, data: service.deps.data })
  const address = `http://127.0.0.1:${portOf(server)}`
  const site: AccountSite = {
    address,
    databaseUrl: database.url,
    sql,
    clock,
    data: service.deps.data,
    log: () => lines.join(''),
    loggedLink: () => {
      const links = [...site.log().matchAll(/"link":"[^"]*?(\/account\/sign-in\/link\?token=[\w-]+)"/g)]
      return links.at(-1)?.[1] ?? ''
    },
    browser: () => new FormBrowser(address, publicUrl),
    signedIn: async (who, headers) => {
      // All browsers of a test come from one network, which has 20 links a quarter of an hour.
      await sql`delete from attempts where meter like 'links%'`
      const browser = site.browser()
      await browser.submit('/account/sign-in', { address: who })
      const { action, fields } = (await browser.open(site.loggedLink())).form('/account/sign-in/link')
      await browser.submit(action, fields, headers)
      return browser
    },
    close: async () => {
      server.closeAllConnections()
      await new Promise(resolve => server.close(resolve))
      await service.close()
      await sql.end()
      await database.drop()
    },
  }
  return site
}
