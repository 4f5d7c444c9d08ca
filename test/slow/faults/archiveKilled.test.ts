import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { beforeAll, describe, expect, it } from 'vitest'
import type { ArchivedFile } from '../../../src/infra/archives/manifest.ts'
import { lockKey } from '../../../src/infra/ingestion/locks.ts'
import { insertOctober, OCTOBER, startArchiveWorld } from '../../support/archives/archiveWorld.ts'
import { insertSales } from '../../support/lots/fixtures.ts'
import { builtFile } from '../../support/run/builtFile.ts'
import { runSurplus } from '../../support/run/commandLine.ts'
import { shared } from '../../support/run/shared.ts'
import { PEPPER, PUBLIC_URL } from '../../support/service/testSettings.ts'

const world = shared(startArchiveWorld)
let env: Record<string, string>
beforeAll(async () => {
  env = {
    DATABASE_URL: world.databaseUrl,
    KEY_PEPPER: PEPPER,
    ARCHIVE_DIR: world.folder,
    PUBLIC_URL,
  }
  await insertOctober(world.sql)
  await world.write()
})

const ARGUMENTS = ['archive', '--month', '2026-10', '--json']

/**
 * Starts the command and kills it without warning as soon as the condition holds.
 * @returns whether it still ran.
 */
async function killedWhen(isTime: () => Promise<boolean>): Promise<boolean> {
  const child = spawn(process.execPath, [builtFile('src/main.ts'), ...ARGUMENTS], {
    env: { ...process.env, ...env },
    stdio: 'ignore',
  })
  const ended = once(child, 'exit')
  while (child.exitCode === null && !(await isTime())) await wait(2)
  child.kill('SIGKILL')
  const [, signal] = await ended
  return signal === 'SIGKILL'
}

const parts = async () =>
  (await readdir(join(world.folder, 'v1'), { recursive: true }))
    .filter(name => name.includes('part-'))
    .sort()

describe('a process that is killed while it writes a month again', () => {
  it('leaves a manifest whose files are all there, whenever it is killed, and the next one completes the month', async () => {
    const before = await world.sound()
    const known = (await parts()).join()
    await insertSales(world.sql, [{ title: 'Late', final_bid_cents: 5, sold_at: OCTOBER }])
    const written = (name: string) => async () => existsSync(join(world.folder, 'work', name))
    for (const isTime of [
      written('lots.parquet'),
      written('sales.csv.gz'),
      written('changes.parquet'),
    ]) {
      expect(await killedWhen(isTime)).toBe(true)
      expect(existsSync(join(world.folder, 'work')), 'what it had begun').toBe(true)
      expect(await world.sound()).toEqual(before)
    }
    // Between the first new file and the manifest there are only milliseconds, so this may come too
    // late.
    await killedWhen(async () => (await parts()).join() !== known)
    await world.sound()
    const { code, stdout } = await runSurplus(ARGUMENTS, env)
    expect([code, JSON.parse(stdout)]).toEqual([0, { months: ['2026-10'], place: world.folder }])
    const after = await world.sound()
    const rowsOf = (files: ArchivedFile[]) => files.find(({ table }) => table === 'sales')?.rows
    expect(rowsOf(after)).toBe(rowsOf(before)! + 1)
    expect(existsSync(join(world.folder, 'work'))).toBe(false)
    expect(await parts()).toHaveLength(9)
  })

  it('lets one process write at a time: another one says so and ends', async () => {
    await world.sql`select pg_advisory_lock(${lockKey('archives')})`
    const { code, stdout } = await runSurplus(ARGUMENTS, env)
    await world.sql`select pg_advisory_unlock(${lockKey('archives')})`
    expect([code, JSON.parse(stdout)]).toEqual([0, { months: null, place: world.folder }])
  })
})
