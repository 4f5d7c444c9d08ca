import { randomBytes } from 'node:crypto'
import request, { type Response, type Test } from 'supertest'
import { expect } from 'vitest'
import { type Contract, readContract } from '../../../src/contract/document.ts'
import type { Plan } from '../../../src/contract/plans.ts'
import { newKey } from '../../../src/domain/apiKey.ts'
import { listen, portOf } from '../../../src/http/server/server.ts'
import { createFolderStore } from '../../../src/infra/archives/store.ts'
import { createLog } from '../../../src/infra/log.ts'
import { openAdminConnection, type Sql } from '../../../src/infra/postgres/database.ts'
import { createService } from '../../../src/service.ts'
import { createKey } from '../../../src/usecases/createKey.ts'
import { expectNoViolation } from '../contract/contractViolations.ts'
import { SeenAddresses } from '../contract/seenAddresses.ts'
import { freshDatabase } from '../database/database.ts'
import { PEPPER, PUBLIC_URL } from './testSettings.ts'

const UNLIMITED = 1_000_000_000
const UNREACHABLE = 'postgres://nobody@127.0.0.1:1/nothing'

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

/** The service on a database of its own, called over HTTP. Every answer is checked against the contract. */
export interface TestApi {
  sql: Sql
  databaseUrl: string
  address: string
  /** The fixed moment that the service lives in; null is the clock of the database. */
  clock: { now: Date | null }
  makeKey(plan: Plan, options?: KeyOptions): Promise<string>
  /** One call; without a key of its own it is made with one that may do everything, without limits. */
  get(path: string, options?: CallOptions): Promise<Response>
  head(path: string, options?: CallOptions): Promise<Response>
  send(
    method: 'post' | 'put' | 'patch' | 'delete' | 'options',
    path: string,
    options?: CallOptions,
  ): Promise<Response>
  close(): Promise<void>
}

interface ApiOptions {
  /** Instead of a fresh database: an address where none answers. Keys can be made all the same. */
  unreachable?: boolean
  /** Instead of `openapi.yaml`: the contract that the service keeps. */
  contract?: Contract
  /** How many pages with lots one client address may open in a minute; absent: without limit. */
  pagesPerMinute?: number
  /** Whether every page that answers have named is opened at the end; not where lots are deleted. */
  opensSeenPages?: boolean
  trustProxyHops?: number
  mcpOrigins?: string[]
  /** From so many open lots on, they are indexed. */
  indexFromLots?: number
  /** Where its archives are; absent: it has none. */
  archiveFolder?: string
}

export async function startApi({
  unreachable = false,
  contract = readContract(),
  pagesPerMinute,
  opensSeenPages = true,
  trustProxyHops = 0,
  mcpOrigins = [],
  indexFromLots,
  archiveFolder,
}: ApiOptions = {}): Promise<TestApi> {
  const database = await freshDatabase()
  const sql = openAdminConnection(database.url)
  const clock: TestApi['clock'] = { now: null }
  const log = createLog('silent')
  const service = await createService({
    databaseUrl: unreachable ? UNREACHABLE : database.url,
    readConnections: 4,
    countConnections: 1,
    exportConnections: 2,
    pepper: PEPPER,
    publicUrl: PUBLIC_URL,
    trustProxyHops,
    mcpOrigins,
    responseValidationShare: 0,
    log,
    now: () => clock.now,
    contract,
    ...(archiveFolder ? { archives: createFolderStore(archiveFolder, PEPPER, PUBLIC_URL) } : {}),
    ...(pagesPerMinute === undefined ? {} : { pagesPerMinute }),
    ...(indexFromLots === undefined ? {} : { indexFromLots }),
  })
  const server = await listen(service.app, '127.0.0.1', 0, {
    publicUrl: PUBLIC_URL,
    log,
    data: service.deps.data,
  })
  const address = `http://127.0.0.1:${portOf(server)}`
  const makeKey = keyMaker(sql)
  const seen = new SeenAddresses()
  let masterKey: Promise<string> | undefined

  async function call(test: Test, { key, headers = {}, body }: CallOptions): Promise<Response> {
    masterKey ??= makeKey('enterprise', { monthly: UNLIMITED, perMinute: UNLIMITED })
    const sent = key === undefined ? await masterKey : key
    if (sent !== null) test.set('Authorization', `Bearer ${sent}`)
    for (const [name, value] of Object.entries(headers)) test.set(name, value)
    // text/csv is kept as text; supertest parses JSON by itself.
    const response = await (body === undefined ? test : test.send(body as object))
    expectNoViolation(response)
    if (new URL(test.url).pathname.startsWith('/api/')) seen.note(response.body)
    return response
  }

  return {
    sql,
    databaseUrl: database.url,
    address,
    clock,
    makeKey,
    get: (path, options = {}) => call(request(address).get(path), options),
    head: (path, options = {}) => call(request(address).head(path), options),
    send: (method, path, options = {}) => call(request(address)[method](path), options),
    close: async () => {
      const faults = unreachable || !opensSeenPages ? [] : await seen.faultsAt(address)
      server.closeAllConnections()
      await new Promise(resolve => server.close(resolve))
      await service.close()
      await sql.end()
      await database.drop()
      expect(faults, 'every docs, upgrade and bidprowl_url that was seen is a page').toEqual([])
    },
  }
}

function keyMaker(sql: Sql): TestApi['makeKey'] {
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
