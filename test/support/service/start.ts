import { randomBytes } from 'node:crypto'
import { Writable } from 'node:stream'
import pino from 'pino'
import request, { type Response, type Test } from 'supertest'
import { beforeEach, expect } from 'vitest'
import { createKey } from '../../../src/commands/createKey.ts'
import type { Plan } from '../../../src/contract/plans.ts'
import { newKey } from '../../../src/domain/apiKey.ts'
import { createFolderStore } from '../../../src/infra/archives/store.ts'
import { freePort } from '../../../src/infra/embedded/launch.ts'
import type { Sql } from '../../../src/infra/postgres/database.ts'
import type { ServiceSettings } from '../../../src/service.ts'
import { expectNoViolation } from '../contract/contractViolations.ts'
import { SeenAddresses } from '../contract/seenAddresses.ts'
import { type FreshDatabase, freshDatabase } from '../database/database.ts'
import { shared } from '../run/shared.ts'
import { FormBrowser } from '../site/formBrowser.ts'
import { patiently } from './load.ts'
import { type Answer, type Asked, send } from './rawHttp.ts'
import { type RunningService, startService } from './service.ts'
import { PEPPER, PUBLIC_URL } from './testSettings.ts'

const UNLIMITED = 1_000_000_000
const UNREACHABLE = 'postgres://nobody@127.0.0.1:1/nothing'

interface StartOptions {
  /** The fixed moment that the service lives in; absent: the clock of the database. */
  now?: Date
  /** Its links lead to itself, so that a browser can follow them. */
  linksToItself?: boolean
  /** Agents sign in at its address by name; that by number is of the API. */
  signsInAgents?: boolean
  /** The service has a database where none answers. Keys can be made all the same. */
  unreachable?: boolean
  /** Whether every page that answers have named is opened at the end. */
  opensSeenPages?: boolean
  /** A migrated database, which its end drops; absent: a new one. */
  database?: FreshDatabase
  /** Where its archives are; absent: it has none. */
  archiveFolder?: string
  settings?: Partial<ServiceSettings>
}

interface CallOptions {
  /** Null: no key is sent. Absent: a key that may do everything, without limits. */
  key?: string | null
  headers?: Record<string, string>
  body?: unknown
}

export interface KeyOptions {
  owner?: string
  monthly?: number
  perMinute?: number
}

/** The service in this process, on a database of its own. */
export interface TestService extends Omit<RunningService, 'close' | 'log'> {
  sql: Sql
  databaseUrl: string
  /** The fixed moment that the service lives in; null is the clock of the database. */
  clock: { now: Date | null }
  /** All that was logged, as it was written. */
  log(): string
  makeKey(plan: Plan, options?: KeyOptions): Promise<string>
  /** A key that may do everything, without limits. */
  masterKey(): Promise<string>
  /** One call, whose answer is checked against the contract. */
  get(path: string, options?: CallOptions): Promise<Response>
  /** The body of a call that is answered 200. */
  read(path: string, options?: CallOptions): Promise<Response['body']>
  head(path: string, options?: CallOptions): Promise<Response>
  send(
    method: 'post' | 'put' | 'patch' | 'delete' | 'options',
    path: string,
    options?: CallOptions,
  ): Promise<Response>
  /**
   * One call exactly as it is written, with the master key unless `authorization` says otherwise;
   * nothing is checked.
   */
  ask(asked: Asked): Promise<Answer>
  browser(): FormBrowser
  /** A browser that is signed in. */
  signedIn(emailAddress: string, headers?: Record<string, string>): Promise<FormBrowser>
  /** The latest sign-in link that was logged, as a path of the site. */
  loggedLink(): string
  /** Ends the service, and drops its database. */
  close(): Promise<void>
}

/**
 * The service of the file or the `describe` that calls this: at `now` before each test, and ended
 * after the last.
 */
export function serviceFor(options: StartOptions = {}): TestService {
  const service = shared(() => start(options))
  beforeEach(({ onTestFailed }) => {
    if (options.now) service.clock.now = options.now
    const began_ms = Date.now()
    onTestFailed(() => {
      for (const line of errorsSince(service.log(), began_ms)) console.error(line)
    })
  })
  return service
}

/** Starts a service that the caller closes. */
export async function start(options: StartOptions = {}): Promise<TestService> {
  const {
    now = null,
    linksToItself,
    signsInAgents,
    unreachable,
    opensSeenPages,
    archiveFolder,
  } = options
  const database = options.database ?? (await freshDatabase())
  const { sql } = database
  const clock: TestService['clock'] = { now }
  const log = keptLog()
  const port = linksToItself || signsInAgents ? await freePort() : 0
  const publicUrl = linksToItself ? `http://localhost:${port}` : PUBLIC_URL
  const settings: Partial<ServiceSettings> = {
    readConnections: 4,
    countConnections: 1,
    exportConnections: 2,
    now: () => clock.now,
    publicUrl,
    ...(archiveFolder ? { archives: createFolderStore(archiveFolder, PEPPER, publicUrl) } : {}),
    // Another host than that of the pages.
    agentsUrl: signsInAgents ? `http://${linksToItself ? '127.0.0.1' : 'localhost'}:${port}` : null,
    ...options.settings,
  }
  const service = await startService(
    unreachable ? UNREACHABLE : database.url,
    log.logger,
    settings,
    port,
  )
  const address = linksToItself ? settings.publicUrl! : service.address
  const makeKey = keyMaker(sql)
  let madeKey: Promise<string> | undefined
  const masterKey = () => {
    madeKey ??= makeKey('enterprise', { monthly: UNLIMITED, perMinute: UNLIMITED })
    return madeKey
  }
  const seen = new SeenAddresses()
  const attempts = unreachable ? 1 : undefined

  async function call(
    begin: () => Test,
    path: string,
    { key, headers = {}, body }: CallOptions,
  ): Promise<Response> {
    const sent = key === undefined ? await masterKey() : key
    const response = await patiently(async () => {
      const test = begin()
      if (sent !== null) test.set('Authorization', `Bearer ${sent}`)
      for (const [name, value] of Object.entries(headers)) test.set(name, value)
      // text/csv is kept as text; supertest parses JSON by itself.
      return body === undefined ? test : test.send(body as object)
    }, attempts)
    expectNoViolation(response)
    if (path.startsWith('/api/')) seen.note(response.body)
    return response
  }

  const get: TestService['get'] = (path, options = {}) =>
    call(() => request(address).get(path), path, options)
  const loggedLink = () => {
    const links = [
      ...log.text().matchAll(/"link":"[^"]*?(\/account\/sign-in\/link\?token=[\w-]+)"/g),
    ]
    return links.at(-1)?.[1] ?? ''
  }
  const browser = () => new FormBrowser(address, settings.publicUrl!)
  return {
    ...service,
    sql,
    databaseUrl: database.url,
    address,
    clock,
    log: log.text,
    makeKey,
    masterKey,
    get,
    read: async (path, options) => {
      const { status, body } = await get(path, options)
      expect(status, `${path}: ${JSON.stringify(body.error)}`).toBe(200)
      return body
    },
    head: (path, options = {}) => call(() => request(address).head(path), path, options),
    send: (method, path, options = {}) => call(() => request(address)[method](path), path, options),
    ask: async ({ headers = {}, ...asked }) => {
      const authorization = `Bearer ${await masterKey()}`
      const written = { ...asked, headers: { authorization, ...headers } }
      return patiently(() => send(address, written), attempts)
    },
    browser,
    signedIn: async (emailAddress, headers) => {
      // All browsers of a test come from one network, which has 20 links a quarter of an hour.
      await sql`delete from attempts where meter like 'links%'`
      const visitor = browser()
      await visitor.submit('/account/sign-in', { address: emailAddress })
      const { action, fields } = (await visitor.open(loggedLink())).form('/account/sign-in/link')
      await visitor.submit(action, fields, headers)
      return visitor
    },
    loggedLink,
    close: async () => {
      const faults = opensSeenPages ? await seen.faultsAt(address) : []
      await service.close()
      await database.drop()
      expect(faults, 'every docs, upgrade and bidprowl_url that was seen is a page').toEqual([])
    },
  }
}

/** An error in one line: its status, its code and its sentence. */
export function refusalOf({ status, body }: Response): string {
  return `${status} ${body.code}: ${body.error}`
}

/** The errors that were logged since a moment: a 500 says nothing of its reason. */
function errorsSince(log: string, began_ms: number): string[] {
  return log.split('\n').flatMap(line => {
    if (!line.includes('"err":')) return []
    const { time, req, err } = JSON.parse(line)
    return time < began_ms ? [] : `${req?.method} ${req?.path}: ${err.type}: ${err.message}`
  })
}

/** A log that keeps what is written. */
function keptLog() {
  const lines: string[] = []
  const sink = new Writable({
    write: (chunk, _encoding, done) => {
      lines.push(String(chunk))
      done()
    },
  })
  return { logger: pino({ level: 'trace' }, sink), text: () => lines.join('') }
}

/** Makes keys in a database. */
export function keyMaker(sql: Sql): TestService['makeKey'] {
  return async (plan, { owner, monthly = null, perMinute = null } = {}) => {
    const key = newKey()
    await createKey(sql, PEPPER, key, {
      plan,
      owner: owner ?? `test ${randomBytes(8).toString('hex')}`,
      callsPerMonth: monthly,
      callsPerMinute: perMinute,
    })
    return key
  }
}
