import { execFile, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { projectFile } from '../../src/contract/projectFile.ts'
import { newSigningSecret } from '../../src/domain/alerts/webhooks.ts'
import { freePort } from '../../src/infra/embedded/launch.ts'
import { sumOperationCalls } from '../../src/infra/metering/counters.ts'
import { DATABASE_NOW } from '../../src/infra/postgres/clock.ts'
import { openAdminConnection, type Sql } from '../../src/infra/postgres/database.ts'
import { publishFinishedDays } from '../../src/infra/valuation/provenLogs.ts'
import { startReceiver } from '../../test/support/alerts/receiver.ts'
import { insertEndpoint, insertSearches } from '../../test/support/alerts/savedSearches.ts'
import { PEPPER, PUBLIC_URL } from '../../test/support/service/testSettings.ts'
import { FormBrowser } from '../../test/support/site/formBrowser.ts'
import { startSweptWorld } from '../../test/support/standIns/sweptWorld.ts'

const OWNER = 'owner@surplus.example'
const HOUR_MS = 3_600_000
const PROGRAM = projectFile('dist', 'src', 'main.js')

/** One call with a key of `Facts`, and what was answered. */
interface Call {
  key: string
  path: string
  status: number
  /** `RateLimit-Remaining`: the calls that are left of the month; null for a key that is refused. */
  remaining: number | null
  /** Without links that expire; absent where a later version may answer otherwise. */
  body?: unknown
}

/** What a restored database must still answer. */
export interface Facts {
  /** The rows of each table. */
  counts: Record<string, number>
  /** A service that lives in this moment answers the calls alike: it lies in the minute in which they were made. */
  as_of: string
  keys: Record<string, string>
  /** The cookie of a signed-in owner of the key `mine`. */
  session: string
  calls: Call[]
}

/** The released program on the database that is dumped. */
interface Program {
  sql: Sql
  folder: string
  env: NodeJS.ProcessEnv
  /** Runs `surplus …` until it ends. @returns what it printed. */
  surplus(args: string[], settings?: Record<string, string>): Promise<string>
}

/**
 * Fills a database as a year of service does: by commands, forms and calls, and directly where only others (Stripe, a database that fails)
 * could.
 * @param folder becomes the folder of files to load and, below it, `archives`.
 */
export async function fill(databaseUrl: string, folder: string): Promise<Facts> {
  const sql = openAdminConnection(databaseUrl)
  const env = {
    ...process.env,
    DATABASE_URL: databaseUrl,
    KEY_PEPPER: PEPPER,
    ARCHIVE_DIR: join(folder, 'archives'),
    ALERTS: 'off',
    ALERTS_ALLOWED_HOSTS: '127.0.0.1',
    LOG_LEVEL: 'warn',
  }
  const surplus: Program['surplus'] = async (args, settings) =>
    (await promisify(execFile)(PROGRAM, args, { env: { ...env, ...settings } })).stdout
  const program = { sql, folder, env, surplus }
  await surplus(['migrate'])
  await surplus(['demo', '--lots', '200', '--sales', '1500', '--seed', '1'])
  const keys = await makeKeys(program)
  await load(program)
  await surplus(['archive'])
  const { origin, stop } = await serve(program)
  const { key: mine, session } = await useAccount(program, origin)
  await alert(program)
  await insertEvents(sql)
  const calls = await callAll(sql, origin, { ...keys, mine })
  const [moment] = await sql<{ now: Date }[]>`select now()`
  await stop()
  // Waits in the scoring queue.
  await sql`update lots set current_bid_cents = current_bid_cents + 100 where source_id = 'release-1'`
  const counts = await countRows(sql)
  await sql.end()
  return { counts, as_of: moment!.now.toISOString(), keys: { ...keys, mine }, session, calls }
}

/** Keys of every plan, keys with limits that few calls use up, and one that was revoked. */
async function makeKeys({ surplus }: Program) {
  const make = async (...args: string[]): Promise<{ id: string; key: string }> =>
    JSON.parse(await surplus(['keys', 'create', '--json', ...args]))
  const made: Record<string, string> = {}
  for (const plan of ['free', 'pro', 'pro_plus', 'enterprise'])
    made[plan] = (await make('--plan', plan, '--owner', `${plan}@surplus.example`)).key
  made.full_month = (
    await make('--plan', 'pro', '--owner', 'month@surplus.example', '--monthly', '2')
  ).key
  made.full_minute = (
    await make('--plan', 'pro', '--owner', 'minute@surplus.example', '--per-minute', '2')
  ).key
  const revoked = await make('--plan', 'pro', '--owner', OWNER)
  await surplus(['keys', 'revoke', revoked.id])
  return { ...made, revoked: revoked.key }
}

/** A feed file with a row that is set aside, and a sweep of a stand-in. */
async function load({ surplus, folder }: Program): Promise<void> {
  const file = join(folder, 'lots.ndjson')
  const lot = {
    source: 'springfield',
    source_id: 'release-1',
    title: '2015 Ford F-150 XL pickup truck',
    state: 'TX',
    current_bid_cents: 250_000,
    num_bids: 3,
    end_date: new Date(Date.now() + 240 * HOUR_MS).toISOString(),
    source_url: 'https://springfield.example/lots/release-1',
  }
  writeFileSync(file, `${JSON.stringify(lot)}\n{"source":"gsa"}\n`)
  await surplus(['ingest', 'feed', '--file', file])
  const world = await startSweptWorld()
  await surplus(['ingest', 'seattle'], world.settings)
  await world.close()
}

async function serve({ env }: Program) {
  const port = await freePort()
  const origin = `http://127.0.0.1:${port}`
  const server = spawn(PROGRAM, ['serve', '--demo'], {
    env: { ...env, PORT: String(port), PUBLIC_URL: origin },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const isReady = () =>
    fetch(`${origin}/readyz`).then(
      ({ ok }) => ok,
      () => false,
    )
  while (!(await isReady())) await sleep(100)
  return {
    origin,
    stop: async () => {
      server.kill('SIGTERM')
      await once(server, 'exit')
    },
  }
}

/** Signs in by mail, makes a key, begins a change of the address, and asks for one more link. */
async function useAccount({ sql, surplus }: Program, origin: string) {
  const browser = new FormBrowser(origin, origin)
  await browser.submit('/account/sign-in', { address: OWNER })
  const [mail] = await sql<{ content: string }[]>`
    select content from demo_mails where recipient = ${OWNER} order by id desc limit 1`
  const [path = ''] = /\/account\/sign-in\/link\?token=[\w-]+/.exec(mail!.content) ?? []
  await (await browser.open(path)).form('/account/sign-in/link').submit()
  const key = await browser.newKey('Key of the page')
  const settings = await browser.open('/account/settings')
  await settings.form('/account/address').submit({ address: 'new-owner@surplus.example' })
  await browser.submit('/account/sign-in', { address: 'somebody@surplus.example' })
  await surplus(['accounts', 'set-plan', OWNER, 'pro_plus', '--until', '2027-12-31'])
  return { key, session: browser.cookies.get('surplus-session')! }
}

/** A saved search and a watched lot that find a lot, sent by mail and webhook, and a mail about a month that is nearly used up. */
async function alert({ sql, surplus }: Program): Promise<void> {
  const receiver = await startReceiver()
  const [account] = await sql<{ id: number }[]>`select id from accounts where owner = ${OWNER}`
  const endpoint = { url: receiver.url, secret: newSigningSecret(), created_at: new Date() }
  const endpoint_ids = [await insertEndpoint(sql, account!.id, endpoint)]
  const [lot] = await sql<{ id: string }[]>`select id from lots where source_id = 'release-1'`
  const search = { account_id: account!.id, cadence: 'instant' as const, endpoint_ids }
  const drafts = [
    { ...search, name: 'Trucks in Texas', query: { q: 'ford f-150', state: 'TX' }, by_file: true },
    { ...search, name: 'One truck', lot_id: lot!.id, kinds: ['bid' as const] },
  ]
  await insertSearches(sql, drafts, new Date())
  await sql`
    insert into monthly_usage (meter, month, used)
    select 'account:' || id, date_trunc('month', now() at time zone 'utc'), 850
    from accounts
    where owner = 'free@surplus.example'`
  await surplus(['demo', '--like', lot!.id])
  await surplus(['deliver', '--once'])
  if (receiver.received.length === 0) throw new Error('No alert was delivered.')
  await receiver.end()
}

/** What Stripe sends, what a call leaves that the database failed, a code for an agent, and estimates of a day that has ended. */
async function insertEvents(sql: Sql): Promise<void> {
  await sql`update estimates set day = day - 1`
  await publishFinishedDays(sql, new Date())
  await sql`insert into stripe_events (id, received_at) values ('evt_release', now())`
  await sql`
    update accounts
    set plan = 'pro', stripe_customer = 'cus_release', subscription_status = 'active', subscription_look = nextval('subscription_looks')
    where owner = 'pro@surplus.example'`
  await sql`select give_back(${randomUUID()}::uuid, '[]')`
  await sql`
    insert into agent_grants (code_hash, account_id, client_id, client_name, redirect_uri, challenge, expires_at)
    select 'release', id, 'https://agent.example/client', 'Agent', 'https://agent.example/back', 'release', now()
    from accounts
    where owner = ${OWNER}`
}

/** Calls with every key; those with few calls are used up. The first calls are added up for each operation, the others not yet. */
async function callAll(sql: Sql, origin: string, keys: Record<string, string>): Promise<Call[]> {
  const ask = (key: string, path: string) =>
    fetch(origin + path, { headers: { authorization: `Bearer ${keys[key]}` } })
  const calls: Call[] = []
  const call = async (key: string, path: string, keepsBody = true) => {
    const response = await ask(key, path)
    const left = response.headers.get('ratelimit-remaining')
    const text = (await response.text()).replaceAll(origin, PUBLIC_URL)
    const remaining = left === null ? null : Number(left)
    const body = JSON.parse(text, (name, value) => (name === 'url' ? undefined : value))
    calls.push({ key, path, status: response.status, remaining, ...(keepsBody && { body }) })
  }
  await call('pro', '/api/v1/listings?q=ford&per_page=5')
  await sumOperationCalls({ sql, now: DATABASE_NOW })
  const { data } = calls[0]!.body as { data: { id: string }[] }
  const { id } = data[0]!
  for (const path of [`listings/${id}`, `comps?listing_id=${id}`, `flip-score/${id}`, 'items'])
    await call('pro', `/api/v1/${path}`)
  for (const path of [`listings/${id}/bids`, 'changes?cursor=0&per_page=20'])
    await call('pro_plus', `/api/v1/${path}`)
  await call('enterprise', '/api/v1/archives')
  for (const key of ['free', 'mine', 'revoked']) await call(key, '/api/v1/sources', false)
  for (const key of ['full_month', 'full_minute']) {
    for (const _ of '12') await ask(key, '/api/v1/sources')
    await call(key, '/api/v1/sources', false)
  }
  return calls
}

/** The rows of each table; of a table in parts, of all of them. */
export async function countRows(sql: Sql): Promise<Record<string, number>> {
  const tables = await sql<{ name: string }[]>`
    select relname as name
    from pg_class
    where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition
    order by relname collate "C"`
  const counts: Record<string, number> = {}
  for (const { name } of tables) {
    const [counted] = await sql<{ rows: number }[]>`select count(*) as rows from ${sql(name)}`
    counts[name] = counted!.rows
  }
  return counts
}
