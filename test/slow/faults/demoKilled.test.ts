import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { freePort } from '../../../src/infra/embedded/launch.ts'
import { type LongCommand, runSurplus, startSurplus } from '../../support/run/commandLine.ts'
import { temporaryFolder } from '../../support/run/shared.ts'

const folder = join(temporaryFolder(), 'demo')
const WAIT = { timeout: 240_000, interval: 20 }

it('a demo is whole after a kill at any moment of its first start, and no start serves half of its lots', async () => {
  const port = String(await freePort())
  const env = { DATABASE_URL: '', SURPLUS_DATA_DIR: folder, PORT: port }
  const start = () => startSurplus(['serve', '--demo'], env)
  const until = (serve: LongCommand, words: string) =>
    expect.poll(serve.said, WAIT).toContain(words)
  /** How many lots and lots with a score the printed key finds. */
  async function found(serve: LongCommand): Promise<number[]> {
    await until(serve, 'Try:')
    const [, key] = /Bearer (\S+)"/.exec(serve.said())!
    // On a busy machine a call may be refused for a moment.
    const total = async (query: string): Promise<number> => {
      const address = `http://127.0.0.1:${port}/api/v1/listings?per_page=1${query}`
      const answer = await fetch(address, { headers: { authorization: `Bearer ${key}` } })
      const body = (await answer.json()) as { total: number }
      return answer.status === 503 ? total(query) : body.total
    }
    return [await total(''), await total('&min_flip_score=0')]
  }

  for (const moment of ['Creating', 'Making']) {
    const serve = start()
    await until(serve, moment)
    await serve.end('SIGKILL')
    expect(serve.said()).not.toContain('Serving on')
  }
  for (const [signal, moment] of [
    ['SIGKILL', 'Try:'],
    ['SIGINT', 'Indexed'],
    ['SIGKILL', 'have values'],
  ] as const) {
    const serve = start()
    const [lots] = await found(serve)
    expect(lots).toBe(2_000)
    await until(serve, moment)
    await serve.end(signal)
  }
  const serve = start()
  const archives = join(folder, 'archives', 'v1', 'manifest.json')
  await expect.poll(() => existsSync(archives), WAIT).toBe(true)
  // A visitor opens 120 pages a minute.
  const accuracy = () => fetch(`http://127.0.0.1:${port}/accuracy`).then(answer => answer.text())
  await expect
    .poll(accuracy, { ...WAIT, interval: 1_000 })
    .toContain('Half of our estimates were within')
  const [lots, scored] = await found(serve)
  expect(lots).toBe(2_000)
  expect(scored).toBeGreaterThan(800)
  const logged = await fetch(`http://127.0.0.1:${port}/data/estimates.json`)
  expect(await logged.text(), 'estimates that were logged a week before the prices').toMatch(
    /"[0-9a-f]{64}"/,
  )
  const { stdout } = await runSurplus(['backtest'], env)
  expect(stdout).toMatch(/^Sales up to 20.*\n\ngroup +sales +error factor[\s\S]*\ncomparables +\d+/)
  await serve.end('SIGTERM')

  const second = start()
  expect(await found(second)).toEqual([lots, scored])
  expect(second.said()).not.toMatch(/Making|follow within/)
  await second.end('SIGTERM')
})
