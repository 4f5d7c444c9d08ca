import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { newKey } from '../src/domain/apiKey.ts'
import { freePort } from '../src/infra/embedded/launch.ts'
import { openAdminConnection } from '../src/infra/postgres/database.ts'
import { createKey } from '../src/usecases/createKey.ts'
import { PEPPER } from '../test/support/service/testSettings.ts'
import type { FunctionsRun } from './tracedProgram.ts'

/** One real call, and what of the project it ran. */
export interface Walk {
  what: string
  /** The most files it may run. */
  bar: number
  ran: FunctionsRun
}

/** From 5,000 open lots on, a search is answered from memory, as with real data. */
const DEMO = ['demo', '--lots', '6000', '--sales', '300', '--seed', '1']
const WARM_UPS = ['category=vehicles', 'state=TX', 'q=truck', 'category=electronics&state=CA', 'zip=60601']
const REPEATS = 3
const SETTLED_MS = 150
const FEED = `source,source_id,title,source_url,end_date,current_bid_cents
gsa,files-1,Office chairs,https://www.gsaauctions.gov/1,2099-01-01T00:00:00Z,1000
gsa,files-2,Dell laptop,https://www.gsaauctions.gov/2,2099-01-01T00:00:00Z,2000
gsa,files-3,Ford truck,https://www.gsaauctions.gov/3,2099-01-01T00:00:00Z,300000
`

/**
 * Makes each call on the built program, on a migrated database with demo data.
 * @param builtFolder the result of `tools/build.mjs <folder> test/support tools`
 */
export async function measureWalks(builtFolder: string, databaseUrl: string): Promise<Walk[]> {
  const program = join(builtFolder, 'tools', 'tracedProgram.js')
  const folder = mkdtempSync(join(tmpdir(), 'surplus-files-'))
  const port = await freePort()
  const env = {
    ...process.env,
    DATABASE_URL: databaseUrl,
    SURPLUS_DATA_DIR: folder,
    KEY_PEPPER: PEPPER,
    PORT: String(port),
    RESPONSE_VALIDATION_PERCENT: '0',
    INGEST: '',
  }
  const start = (...args: string[]) =>
    fork(program, args, { env, stdio: ['ignore', 'ignore', 'pipe', 'ipc'] })
  try {
    const feed = join(folder, 'feed.csv')
    writeFileSync(feed, FEED)
    await runOf(start(...DEMO))
    const load = await runOf(start('ingest', 'feed', '--file', feed, '--partial'))
    const service = start('serve')
    try {
      return [
        ...(await serviceWalks(service, `http://127.0.0.1:${port}`, await makeKey(databaseUrl))),
        load,
      ].map((ran, n) => ({ ...WALKS[n]!, ran }))
    } finally {
      service.disconnect()
      await once(service, 'exit')
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

const WALKS = [
  { what: 'a search that is new', bar: 40 },
  { what: 'the same search again', bar: 20 },
  { what: 'one listing', bar: 30 },
  { what: 'a feed file of three rows', bar: 84 },
]

async function serviceWalks(service: ChildProcess, address: string, key: string): Promise<FunctionsRun[]> {
  const call = async (path: string) => {
    const answer = await fetch(`${address}/api/v1/listings${path}`, {
      headers: { authorization: `Bearer ${key}` },
    })
    const text = await answer.text()
    if (answer.status !== 200) throw new Error(`${path} was answered ${answer.status}: ${text}`)
    return JSON.parse(text) as { data: { id: string }[] }
  }
  const traced = async (path: string) => {
    await sleep(SETTLED_MS)
    await runOf(service, 'take')
    await call(path)
    await sleep(SETTLED_MS)
    return runOf(service, 'take')
  }
  await untilReady(service, address)
  for (const query of WARM_UPS) await call(`?${query}`)
  const { data } = await call('?per_page=50')
  const [first, ...others] = data.map(({ id }) => id)
  await call(`/${first}`)
  const searches = Array.from(
    { length: REPEATS },
    (_, n) => `?category=vehicles&state=TX&price_max=${9_000 + n}`,
  )
  const cold: FunctionsRun[] = []
  for (const search of searches) cold.push(await traced(search))
  const again: FunctionsRun[] = []
  for (const search of searches) again.push(await traced(search))
  const listings: FunctionsRun[] = []
  for (const id of others.slice(0, REPEATS)) listings.push(await traced(`/${id}`))
  return [cold, again, listings].map(inEach)
}

/** What ran in each of the repeats: work in the background, such as a timer, falls into one of them only. */
function inEach(runs: FunctionsRun[]): FunctionsRun {
  const [first = {}, ...others] = runs
  return Object.fromEntries(Object.entries(first).filter(([file]) => others.every(run => file in run)))
}

/** The next report of the process; `message` asks it for one. @throws when the process ends without one. */
async function runOf(child: ChildProcess, message?: 'take'): Promise<FunctionsRun> {
  let log = ''
  child.stderr?.setEncoding('utf8').on('data', text => {
    log += text
  })
  if (message) child.send(message)
  const ended = new AbortController()
  child.once('exit', () => ended.abort())
  const [run] = await once(child, 'message', { signal: ended.signal }).catch(() => {
    throw new Error(`The program ended: ${log}`)
  })
  child.stderr?.removeAllListeners('data').resume()
  if (!message) child.disconnect()
  return run as FunctionsRun
}

async function untilReady(service: ChildProcess, address: string): Promise<void> {
  while (service.exitCode === null) {
    const [ready, indexed] = await Promise.all([
      fetch(`${address}/readyz`).then(
        ({ ok }) => ok,
        () => false,
      ),
      fetch(`${address}/metrics`).then(
        answer => answer.text(),
        () => '',
      ),
    ])
    if (ready && !/^surplus_open_lots_indexed 0$/m.test(indexed)) return
    await sleep(100)
  }
  throw new Error('The service did not start.')
}

async function makeKey(databaseUrl: string): Promise<string> {
  const key = newKey()
  const sql = openAdminConnection(databaseUrl)
  await createKey(sql, PEPPER, key, {
    plan: 'enterprise',
    owner: null,
    callsPerMonth: 1e9,
    callsPerMinute: 1e9,
  })
  await sql.end()
  return key
}
