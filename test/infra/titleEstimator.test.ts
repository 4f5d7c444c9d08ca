import { spawnSync } from 'node:child_process'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { serviceCaller } from '../../src/domain/caller.ts'
import { createLog } from '../../src/infra/log.ts'
import {
  createTitleEstimator,
  type TitleEstimator,
} from '../../src/infra/valuation/titleEstimator.ts'
import { type FreshDatabase, freshDatabase } from '../support/database/database.ts'

const UNREACHABLE = 'postgres://nobody@127.0.0.1:1/nothing'
const QUESTION = { title: 'Ford truck', modelId: 1 }
const PATIENT_MS = 30_000

/** How many estimating processes this one has. */
function processes(): number {
  const { stdout } = spawnSync('ps', ['-o', 'args=', '--ppid', String(process.pid)], {
    encoding: 'utf8',
  })
  return stdout.split('\n').filter(line => line.includes('estimatingProcess')).length
}

describe('the estimating process', () => {
  let database: FreshDatabase
  let appraiser: TitleEstimator
  beforeEach(async () => {
    database = await freshDatabase()
  })
  afterEach(async () => {
    appraiser.end()
    await vi.waitFor(() => expect(processes()).toBe(0), { timeout: PATIENT_MS })
    await database.drop()
  })

  const open = (settings: { databaseUrl?: string; deadlineMs?: number } = {}) =>
    createTitleEstimator({
      databaseUrl: database.url,
      deadlineMs: PATIENT_MS,
      log: createLog('silent'),
      ...settings,
    })

  it('is started before the first title, one for all, and says that no model is there', async () => {
    appraiser = open()
    appraiser.prepare(1)
    expect(processes()).toBe(1)
    const titles = [1, 2, 3].map(() => appraiser.estimate(QUESTION, serviceCaller()))
    expect(await Promise.all(titles)).toEqual(Array(3).fill({ kind: 'no model' }))
    expect(processes()).toBe(1)
  })

  it('is 503 when it fails, and the next call starts another one', async () => {
    appraiser = open({ databaseUrl: UNREACHABLE })
    for (const _ of [1, 2]) {
      await expect(appraiser.estimate(QUESTION, serviceCaller())).rejects.toMatchObject({
        status: 503,
        message: 'Titles cannot be estimated for a moment. Try again shortly.',
      })
    }
  })

  it("is 503 at the caller's deadline, for the title that is estimated and for those that wait", async () => {
    appraiser = open({ deadlineMs: 5 })
    const titles = [1, 2].map(() => appraiser.estimate(QUESTION, serviceCaller()))
    const [first, second] = await Promise.allSettled(titles)
    expect(first).toMatchObject({ reason: { status: 503, isDeadline: true } })
    expect(second).toMatchObject({
      reason: { message: 'The service is overloaded. Try again shortly.' },
    })
  })
})
