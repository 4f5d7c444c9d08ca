import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startEmbedded } from '../src/infra/embedded/embeddedDatabase.ts'
import type { LoadGenerator } from './loadGenerator.ts'
import { SEARCH_SHAPES, searches, searchesOf } from './requests.ts'
import { median } from './rounds.ts'
import { createServers, NO_LIMITS, type Server } from './servers.ts'

/** How the service answers as lots and sales become more. */
export interface Growth {
  sizes: typeof SIZES
  /** Milliseconds, by size. */
  shapes: { shape: string; p95: number[] }[]
}

const SIZES = [
  { lots: 10_000, sales: 100_000 },
  { lots: 100_000, sales: 1_000_000 },
]
const CALLERS = 4
const CALLS = 120
/** Of the p95 of each round the middle one is reported: one disturbance of the machine makes the p95 of a single round. */
const ROUNDS = 5

export async function measureGrowth(generator: LoadGenerator): Promise<Growth> {
  const growth: Growth = {
    sizes: SIZES,
    shapes: Object.keys(SEARCH_SHAPES).map(shape => ({ shape, p95: [] })),
  }
  for (const { lots, sales } of SIZES) {
    const folder = mkdtempSync(join(tmpdir(), 'surplus-growth-'))
    const database = await startEmbedded({ dataFolder: folder })
    const servers = createServers(folder)
    try {
      process.stderr.write(`${lots} lots, ${sales} sales…\n`)
      await servers.surplus('demo', '--lots', String(lots), '--sales', String(sales), '--seed', '1')
      const { key } = JSON.parse(await servers.surplus('keys', 'create', ...NO_LIMITS))
      const shapes = await timeShapes(generator, await servers.service(), key)
      for (const [at, { p95 }] of shapes.entries()) growth.shapes[at]!.p95.push(median(p95))
    } finally {
      await servers.stopAll()
      await database.stop()
      rmSync(folder, { recursive: true, force: true })
    }
  }
  return growth
}

/** Searches of each shape, each different. @returns the p95 of each round in milliseconds, and the calls that failed. */
export async function timeShapes(generator: LoadGenerator, { address, pid }: Server, key: string) {
  const headers = { authorization: `Bearer ${key}` }
  const send = (paths: string[]) =>
    generator.run({ address, headers, calls: paths.map(path => ({ path })), connections: CALLERS }, pid)
  await send(searches(400, 3))
  const shapes = Object.keys(SEARCH_SHAPES).map(shape => ({ shape, p95: [] as number[], failures: 0 }))
  for (let round = 0; round < ROUNDS; round++)
    for (const timed of shapes) {
      const { p95, failures } = await send(otherPages(searchesOf(timed.shape, CALLS, 5 + round), round))
      timed.p95.push(p95)
      timed.failures += failures
    }
  return shapes
}

/** With pages of another length, so that no call of a round is answered from what an earlier one has left in memory. */
function otherPages(paths: string[], round: number): string[] {
  return paths.map(path => {
    const [at, query] = path.split('?')
    const pairs = new URLSearchParams(query)
    pairs.set('per_page', String(20 + round))
    return `${at}?${pairs}`
  })
}
