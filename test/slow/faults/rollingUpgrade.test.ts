import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { projectFile } from '../../../src/contract/projectFile.ts'
import { freePort } from '../../../src/infra/embedded/launch.ts'
import { openAdminConnection, type Sql } from '../../../src/infra/postgres/database.ts'
import type { FreshDatabase } from '../../support/database/database.ts'
import { RELEASES, restoreRelease } from '../../support/database/released.ts'
import { builtFile } from '../../support/run/builtFile.ts'
import { needs } from '../../support/run/needs.ts'
import { temporaryFolder } from '../../support/run/shared.ts'
import { startLoad } from '../../support/service/load.ts'
import { keyMaker } from '../../support/service/start.ts'
import { PEPPER } from '../../support/service/testSettings.ts'
import { usageOf } from '../../support/service/usage.ts'

const OLD = RELEASES.at(-1)!
const CALLERS = 4
/** Calls between two steps, and before the first. */
const CALLS = 200

/** The commit that released the old version; empty in a copy of the project without its history. */
const { stdout: commit } = spawnSync(
  'git',
  ['log', '-1', '--format=%h', '--', `released/dump-${OLD}.sql.gz`],
  { cwd: projectFile(), encoding: 'utf8' },
)
const OPTIONS = needs(commit, `the history of the project up to ${OLD}`)

/**
 * Builds the program of that commit in a folder, with its packages and the migrations that were
 * released then.
 * @returns the program.
 */
function buildOld(folder: string): string {
  const archive = execFileSync('git', ['archive', commit.trim()], {
    cwd: projectFile(),
    maxBuffer: 1e9,
  })
  execFileSync('tar', ['-x', '-C', folder], { input: archive })
  const released = readFileSync(join(folder, 'released', 'SHA256SUMS'), 'utf8')
  for (const file of readdirSync(join(folder, 'migrations')))
    if (!released.includes(`migrations/${file}\n`)) rmSync(join(folder, 'migrations', file))
  execFileSync('npm', ['ci', '--ignore-scripts', '--omit=dev', '--no-audit', '--no-fund'], {
    cwd: folder,
  })
  execFileSync(process.execPath, [join(folder, 'tools', 'build.mjs')])
  return join(folder, 'dist', 'src', 'main.js')
}

describe(`an upgrade from ${OLD}, one server after the other`, OPTIONS, () => {
  const folder = temporaryFolder()
  const current = builtFile('src/main.ts')
  const stops: (() => Promise<unknown>)[] = []
  let old: string
  let database: FreshDatabase
  let sql: Sql

  beforeAll(async () => {
    old = buildOld(folder)
    database = await restoreRelease(OLD)
    sql = database.sql
  })
  afterAll(async () => {
    await Promise.all(stops.map(stop => stop()))
    await database?.drop()
  })

  const surplus = (program: string, args: string[], more = {}) =>
    spawn(process.execPath, [program, ...args], {
      env: {
        ...process.env,
        DATABASE_URL: database.url,
        KEY_PEPPER: PEPPER,
        LOG_LEVEL: 'silent',
        ...more,
      },
      stdio: ['ignore', 'pipe', 'inherit'],
    })

  /** A server that is ready. */
  async function serve(program: string) {
    const port = await freePort()
    const child = surplus(program, ['serve'], { PORT: String(port), ALERTS: 'off' })
    const exited = once(child, 'exit')
    const address = `http://127.0.0.1:${port}`
    const status = () => fetch(`${address}/readyz`).then(answer => answer.status, String)
    await expect.poll(status, { timeout: 60_000 }).toBe(200)
    const stop = async () => {
      child.kill('SIGTERM')
      return (await exited)[0] as number | null
    }
    stops.push(stop)
    return { address, stop }
  }

  it('answers and counts every call once, there and back, and waits for a lock without making calls wait', async () => {
    const limits = { monthly: 1_000_000_000, perMinute: 1_000_000_000 }
    const key = await keyMaker(sql)('enterprise', { owner: 'upgraded', ...limits })
    const first = await serve(old)
    const second = await serve(old)
    const inUse = [first, second]
    let turn = 0
    // Every other call is a new search, so that no cache answers it.
    const next = () => {
      const { address } = inUse[++turn % inUse.length]!
      return `${address}/api/v1/${turn % 4 < 2 ? 'sources' : `listings?per_page=1&price_min=${turn}`}`
    }
    const load = startLoad(CALLERS, key, next)
    const moreCalls = (count = CALLS) =>
      expect
        .poll(() => load.samples.length, { timeout: 60_000 })
        .toBeGreaterThan(load.samples.length + count)
    const replace = async (server: typeof first, program: string) => {
      const next = await serve(program)
      inUse.splice(inUse.indexOf(server), 1, next)
      await moreCalls()
      expect(await server.stop()).toBe(0)
      await moreCalls()
      return next
    }

    await moreCalls()
    const holding = openAdminConnection(database.url)
    let printed: Promise<string[]> | undefined
    await holding.begin(async transaction => {
      await transaction`select count(*) from monthly_usage`
      printed = surplus(current, ['migrate', '--json']).stdout.setEncoding('utf8').toArray()
      await moreCalls(5 * CALLS)
    })
    await holding.end()
    const { applied } = JSON.parse((await printed!).join(''))
    expect(applied).not.toEqual([])
    await moreCalls()
    const third = await replace(first, current)
    await replace(second, current)
    await replace(third, old)

    const samples = await load.stop()
    expect(samples.filter(({ status }) => status !== 200)).toEqual([])
    expect((await usageOf(sql, key)).month).toBe(samples.length)
    const [operations] = await sql<{ calls: number }[]>`
      select sum(calls) as calls
      from (select key_id, calls from operation_calls union all select key_id, calls from operation_usage) as counted
      where key_id = (select k.id from keys k join accounts a on a.id = k.account_id where a.owner = 'upgraded')`
    expect(operations!.calls).toBe(samples.length)
  })
})
