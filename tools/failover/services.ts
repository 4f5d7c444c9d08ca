import { join, resolve } from 'node:path'
import { createKey } from '../../src/commands/createKey.ts'
import { newKey } from '../../src/domain/apiKey.ts'
import { addEndpoint } from '../../src/infra/alerts/endpoints.ts'
import { freePort } from '../../src/infra/embedded/launch.ts'
import { DATABASE_NOW } from '../../src/infra/postgres/clock.ts'
import { openAdminConnection, type Sql } from '../../src/infra/postgres/database.ts'
import { startReceiver } from '../../test/support/alerts/receiver.ts'
import { insertSearches } from '../../test/support/alerts/savedSearches.ts'
import { gsaLot } from '../../test/support/standIns/gsaLots.ts'
import { json, startStandIn } from '../../test/support/standIns/standIn.ts'
import { nodes, onNode, PASSWORD, startCluster } from './cluster.ts'
import { statusOf } from './load.ts'
import { folder, run, start, until } from './processes.ts'

// What runs on the cluster: a source, a receiver of alerts, and two serving processes.

export const QUOTA = 260
const LARGE = 10_000_000
const SURPLUS = [process.execPath, resolve('dist/src/main.js')]
const CERTIFICATE = { NODE_EXTRA_CA_CERTS: join(folder, 'tls', 'ca.crt') }

const address = (port: number, sslmode: 'require' | 'verify-full') =>
  `postgres://surplus:${PASSWORD}@127.0.0.1:${port}/surplus?sslmode=${sslmode}`

/** The cluster, the source, the receiver of alerts, and two serving processes. */
export async function prepare() {
  const { primary, replicas } = await startCluster()
  onNode(nodes[0]!, `create role surplus login password '${PASSWORD}'`)
  onNode(nodes[0]!, 'create database surplus owner surplus')
  const migrate = (port: number) =>
    run([...SURPLUS, 'migrate'], { DATABASE_URL: address(port, 'verify-full'), ...CERTIFICATE })
  await until('a migration', 60, async () => (await migrate(primary)) === 0)
  const sql = openAdminConnection(address(primary, 'require'))
  const keys = await makeKeys(sql)
  const receiver = await startReceiver()
  await makeAlert(sql, keys.one.owner, receiver.url)

  const day = (offset: number) =>
    new Date(Date.now() + offset * 86_400_000).toISOString().slice(0, 10)
  const open = { aucStartDt: day(-1), aucEndDt: day(3) }
  const newLot = (n: number) => gsaLot(n, { itemName: `Drill ${n} pickup truck`, ...open })
  const lots = [newLot(1)]
  const sources = await startStandIn(({ url }) =>
    json(url.pathname === '/GSA_API' ? { Results: lots } : []),
  )
  const services = await startServices(primary, replicas, sources.origin, receiver.url)
  const isAlerted = (n: number) => () =>
    receiver.received.some(({ body }) => body.includes(`Drill ${n} `))
  await until('the first alert arrives', 90, isAlerted(1))
  return {
    sql,
    keys,
    services,
    migrateReplica: () => migrate(replicas),
    /** A new lot at the source is swept, matched and delivered. */
    sweepAndAlert: async () => {
      lots.push(newLot(lots.length + 1))
      await until('a new lot is swept, matched and delivered', 90, isAlerted(lots.length))
    },
    end: () => Promise.all([sql.end({ timeout: 1 }), receiver.end(), sources.close()]),
  }
}

async function makeKeys(sql: Sql) {
  const make = async (owner: string, callsPerMonth: number) => {
    const key = newKey()
    const limits = { callsPerMonth, callsPerMinute: LARGE }
    return {
      owner,
      key,
      id: await createKey(sql, PASSWORD, key, { plan: 'enterprise', owner, ...limits }),
    }
  }
  const [one, two] = [await make('counted 1', LARGE), await make('counted 2', LARGE)]
  return {
    one,
    two,
    quota: await make(`quota of ${QUOTA}`, QUOTA),
    revoked: await make('revoked', LARGE),
  }
}

async function makeAlert(sql: Sql, owner: string, url: string): Promise<void> {
  const [account] = await sql<{ id: number }[]>`
    update accounts set plan = 'enterprise' where owner = ${owner} returning id`
  const account_id = account!.id
  const endpoint_ids = [
    (await addEndpoint({ sql, now: DATABASE_NOW }, account_id, { url, most: 10 }))!,
  ]
  const search = {
    account_id,
    kinds: ['new' as const],
    cadence: 'instant' as const,
    by_mail: false,
  }
  await insertSearches(sql, [{ ...search, endpoint_ids }])
}

async function startServices(primary: number, replicas: number, origin: string, receiver: string) {
  const feeds = [
    'GSA_API',
    'IRS_INDEX',
    'FEED_HUD',
    'FEED_SEATTLE',
    'FEED_NORFOLK',
    'FEED_CINCINNATI',
  ]
  const settings = {
    DATABASE_URL: address(primary, 'verify-full'),
    DATABASE_READ_URL: address(replicas, 'verify-full'),
    ...CERTIFICATE,
    KEY_PEPPER: PASSWORD,
    ALERTS_ALLOWED_HOSTS: new URL(receiver).hostname,
    INGEST: 'on',
    GSA_API_KEY: 'drill',
    GSA_INTERVAL_SECONDS: '20',
    ...Object.fromEntries(feeds.map(name => [`${name}_URL`, `${origin}/${name}`])),
  }
  const ports = [await freePort(), await freePort()]
  const children = ports.map(port =>
    start(`serve-${port}`, [...SURPLUS, 'serve'], { ...settings, PORT: String(port) }),
  )
  const addresses = ports.map(port => `http://127.0.0.1:${port}`)
  for (const each of addresses)
    await until('a service is ready', 60, async () => (await statusOf(`${each}/readyz`)) === 200)
  return {
    addresses,
    areRunning: () => children.every(({ exitCode }) => exitCode === null),
  }
}
