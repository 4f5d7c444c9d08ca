import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { lockKey } from '../../../src/infra/ingestion/locks.ts'
import { openAdminConnection, type Sql } from '../../../src/infra/postgres/database.ts'
import {
  changesAfter,
  expectGapless,
  openLots,
  replayed,
} from '../../support/ingestion/changeLog.ts'
import { hoursFromNow, liveRow, ndjson, startIngestion } from '../../support/ingestion/ingestion.ts'
import { builtFile } from '../../support/run/builtFile.ts'
import { forOneTest } from '../../support/run/shared.ts'

/** A load is killed in its first batch and in its last. */
const [ROWS, BATCH] = [5_500, 5_000]
/** Held by a test, wanted by a load that is to stop. */
const STOP_LOCK = 1

/** Closed lots, a live one and a bad one in every hundred. */
const file = ndjson(
  Array.from({ length: ROWS }, (_, n) => {
    const changes = n % 100 === 1 ? {} : { outcome: 'unsold', end_date: hoursFromNow(-n / 10) }
    return liveRow(`lot-${n}`, n % 100 === 2 ? { outcome: 'gone' } : changes)
  }),
)

it('a load that is killed leaves whole batches, and the rerun gives what an undisturbed load gives', async () => {
  const undisturbed = await forOneTest(startIngestion())
  const killed = await forOneTest(startIngestion())
  const watch = await forOneTest(openAdminConnection(killed.url))
  await undisturbed.load(file)
  for (const batches of [0, 1]) {
    await killInBatch(watch, killed.url, killed.file(file), batches)
    const [dead] = await watch`
      select state, rows_read, rows_taken, rows_set_aside,
        (select count(*) from lots) as lots,
        (select count(*) from set_aside_rows where load_id = loads.id) as kept
      from loads
      order by id desc
      limit 1`
    const [taken, aside] = [batches * BATCH * 0.99, (batches * BATCH) / 100]
    const counted = { rows_read: batches * BATCH, rows_taken: taken, rows_set_aside: aside }
    expect(dead).toEqual({ state: 'running', ...counted, lots: taken, kept: aside })
    const changes = await changesAfter(watch)
    await expectGapless(watch, changes)
    expect(replayed(changes)).toEqual(await openLots(watch))
  }
  const rerun = await killed.load(file)
  const counted = { rows_read: ROWS, rows_taken: ROWS * 0.99, rows_set_aside: ROWS / 100 }
  expect(rerun).toMatchObject({ state: 'done', ...counted })
  expect(await killed.everything()).toEqual(await undisturbed.everything())
  const dead = await watch`select state, reason from loads where id <> ${rerun.load_id}`
  const refused = { state: 'refused', reason: expect.stringContaining('The process ended') }
  expect(dead).toEqual([refused, refused])
})

/** Kills a process while it writes the batch after so many. */
async function killInBatch(watch: Sql, url: string, path: string, batches: number): Promise<void> {
  await watch.unsafe(`
    create or replace function stop() returns trigger language plpgsql as $$
      begin perform pg_advisory_xact_lock(${STOP_LOCK}); return new; end $$;
    create trigger stop before update on loads for each row
      when (new.rows_read > ${batches * BATCH}) execute function stop()`)
  await watch`select pg_advisory_lock(${STOP_LOCK})`
  const child = spawn(
    process.execPath,
    [builtFile('test/support/ingestion/loadInChild.ts'), url, path],
    {
      stdio: 'inherit',
    },
  )
  const waiting = () => watch<{ pid: number }[]>`
    select l.pid from pg_locks l join pg_database d on d.oid = l.database
    where d.datname = current_database() and l.locktype = 'advisory' and not l.granted`
  while ((await waiting()).length === 0) {
    if (child.exitCode !== null) throw new Error('The load ended before it was stopped.')
    await sleep(20)
  }
  const exited = once(child, 'exit')
  child.kill('SIGKILL')
  await exited
  for (const { pid } of await waiting()) await watch`select pg_terminate_backend(${pid})`
  await watch`select pg_advisory_lock(${lockKey('loads')})`
  await watch`select pg_advisory_unlock_all()`
  await watch`drop trigger stop on loads`
}
