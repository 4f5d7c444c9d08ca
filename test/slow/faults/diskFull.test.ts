import { execFileSync, spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdirSync, mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  CAN_REPLICATE,
  startReplication,
  type TestServer,
  WITH_SERVERS,
} from '../../support/database/replication.ts'
import { liveRow, ndjson } from '../../support/ingestion/ingestion.ts'
import { runSurplus } from '../../support/run/commandLine.ts'
import { needs } from '../../support/run/needs.ts'
import { sampleOf, startLoad } from '../../support/service/load.ts'
import { type ServiceProcess, startServiceProcess } from '../../support/service/processes.ts'
import { keyMaker } from '../../support/service/start.ts'
import { PEPPER } from '../../support/service/testSettings.ts'
import { usageOf } from '../../support/service/usage.ts'

const FIRST_LOTS = 200
const LOTS = 1_200
/**
 * Of random letters, which no compression makes smaller, in one word, which is too long to be
 * searched for.
 */
const DESCRIPTION_BYTES = 9_000
/** Memory that is used only as far as it is filled. */
const ENOUGH_MB = 3_000
/** Less than the rows of the load, and enough for a few calls. */
const ROOM_MB = 6

const folder = mkdtempSync(join(tmpdir(), 'surplus-disk-'))
const disk = join(folder, 'disk')
mkdirSync(disk)
const isMounted =
  spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${ENOUGH_MB}m`, 'surplus-test', disk]).status === 0
const OPTIONS = CAN_REPLICATE
  ? needs(isMounted, 'an account that may mount a small disk')
  : WITH_SERVERS

const resize = (mb: number) => execFileSync('mount', ['-o', `remount,size=${mb}m`, disk])
const usedMb = () => {
  const { blocks, bfree, bsize } = statfsSync(disk)
  return Math.ceil(((blocks - bfree) * bsize) / 1_048_576)
}

const file = (rows: object[]) => {
  const path = join(folder, 'feed.ndjson')
  writeFileSync(path, ndjson(rows as Parameters<typeof ndjson>[0]))
  return path
}
const lettersAtRandom = (count: number) =>
  [...randomBytes(count)].map(byte => String.fromCharCode(97 + (byte % 26))).join('')
const rowsOf = (count: number, from = 0) =>
  Array.from({ length: count }, (_, n) =>
    liveRow(`lot-${from + n}`, {
      end_date: new Date(Date.now() + 48 * 3_600_000).toISOString(),
      description: lettersAtRandom(DESCRIPTION_BYTES),
    }),
  )

describe('a disk that is full during a load', OPTIONS, () => {
  let cluster: TestServer
  let end: () => Promise<void>
  let service: ServiceProcess

  beforeAll(async () => {
    const started = await startReplication(0, join(disk, 'data'))
    cluster = started.primary
    end = started.end
    service = await startServiceProcess(cluster.url)
  })

  afterAll(async () => {
    await service?.kill()
    await end?.()
    execFileSync('umount', [disk])
    rmSync(folder, { recursive: true })
  })

  const load = (rows: object[], ...options: string[]) =>
    runSurplus(['ingest', 'feed', '--file', file(rows), '--partial', '--json', ...options], {
      DATABASE_URL: cluster.url,
      KEY_PEPPER: PEPPER,
    })
  const lots = async () => {
    const [row] = await cluster.sql<{ lots: number }[]>`select count(*) as lots from lots`
    return row!.lots
  }

  it('ends the load with a sentence while each call is counted or refused; with room again it is whole, and nothing doubled', async () => {
    const key = await keyMaker(cluster.sql)('enterprise', {
      monthly: 10_000_000,
      perMinute: 10_000_000,
    })
    const before = await load(rowsOf(FIRST_LOTS))
    expect(before.code, before.stderr).toBe(0)

    // A checkpoint keeps the files of the log that were written (16 MB each) for what comes, so
    // that rows alone fill the disk.
    for (let file = 0; file < 4; file++) {
      await cluster.sql`select pg_logical_emit_message(false, 'file', ${String(file)})`
      await cluster.sql`select pg_switch_wal()`
    }
    await cluster.sql`checkpoint`
    resize(usedMb() + ROOM_MB)
    const rows = rowsOf(LOTS, FIRST_LOTS)
    const calling = startLoad(8, key, () => `${service.address}/api/v1/listings?q=desk`)
    const failed = await load(rows)
    const samples = await calling.stop()
    expect(failed.code).toBe(1)
    expect(JSON.parse(failed.stdout).error).toMatch(
      /^The disk of the database is full\..* make room, then load/,
    )
    expect(samples.length).toBeGreaterThan(20)
    // While there is no room for a page of the counters either, a call is refused, since it cannot
    // be counted.
    const answered = samples.filter(({ status }) => status === 200).length
    expect(samples.filter(({ status }) => ![200, 503].includes(status))).toEqual([])
    await expect.poll(() => usageOf(cluster.sql, key)).toEqual({ month: answered, burst: answered })
    const [record] = await cluster.sql`select state, reason from loads order by id desc limit 1`
    expect(record).toMatchObject({ state: 'refused', reason: expect.stringContaining('disk') })
    const stored = await lots()
    expect(stored).toBeLessThan(FIRST_LOTS + LOTS)

    resize(ENOUGH_MB)
    const call = () => sampleOf(`${service.address}/api/v1/listings?q=desk`, key)
    await expect.poll(async () => (await call()).status).toBe(200)
    const again = await load(rows)
    expect(again.code, again.stderr).toBe(0)
    expect(await lots()).toBe(FIRST_LOTS + LOTS)
    const repeated = await load(rows)
    expect(JSON.parse(repeated.stdout)).toMatchObject({ lots_new: 0, lots_changed: 0 })
    expect(await lots()).toBe(FIRST_LOTS + LOTS)
  })
})
