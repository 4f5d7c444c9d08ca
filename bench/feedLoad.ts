// Measures how fast the built program loads a feed file into an embedded database of its own, empty
// and beside as many other lots: node --import tsx bench/feedLoad.ts [--lots 100000] [--rounds 3].
import { mkdtempSync, rmSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { cpus, loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { parseArgs } from 'node:util'
import sources from '../data/sources.json' with { type: 'json' }
import { demoLots } from '../src/demo/demoLots.ts'
import { startEmbedded } from '../src/infra/embedded/embeddedDatabase.ts'
import { createServers } from './servers.ts'

/** A feed needs an address; lots of the demo have none. */
export const FEED_PAGES = Object.fromEntries(
  sources.map(({ key, lot_url, homepage }) => [key, new URL('/lots/1', lot_url ?? homepage).href]),
)
const HOUR_MS = 3_600_000

/**
 * Writes live lots of the demo as a file in the feed format (NDJSON): so many, after the first
 * `skipped` ones.
 */
async function writeFeed(file: string, lots: number, skipped = 0): Promise<void> {
  const asOf = new Date(Math.floor(Date.now() / HOUR_MS) * HOUR_MS)
  const rows = Readable.from(demoLots({ lots: skipped + lots, sales: 0, seed: 1, asOf }))
  await writeFile(
    file,
    rows
      .drop(skipped)
      .take(lots)
      .map(row => `${JSON.stringify({ ...row, source_url: FEED_PAGES[row.source] })}\n`),
  )
}

/** Rows a second until they can be searched. */
async function timeLoads(lots: number): Promise<{ empty: number; beside: number }> {
  const folder = mkdtempSync(join(tmpdir(), 'surplus-load-'))
  const files = [join(folder, 'first.ndjson'), join(folder, 'second.ndjson')] as const
  await writeFeed(files[0], lots)
  await writeFeed(files[1], lots, lots)
  const database = await startEmbedded({ dataFolder: folder })
  try {
    const { surplus } = createServers(folder)
    const rate = async (file: string) => {
      const load = JSON.parse(
        await surplus('ingest', 'feed', '--file', file, '--partial', '--json'),
      )
      return Math.round(load.rows_taken / load.seconds_until_stored)
    }
    return { empty: await rate(files[0]), beside: await rate(files[1]) }
  } finally {
    await database.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      lots: { type: 'string', default: '100000' },
      rounds: { type: 'string', default: '3' },
    },
  })
  process.stdout.write(
    `${values.lots} lots a file; ${cpus().length} cores, Node ${process.version}.\n`,
  )
  for (let round = 1; round <= Number(values.rounds); round += 1) {
    const { empty, beside } = await timeLoads(Number(values.lots))
    process.stdout.write(
      `Rows a second until they can be searched: ${empty} into an empty database, ${beside} beside the others (load average ${loadavg()[0]!.toFixed(1)}).\n`,
    )
  }
}

if (process.argv[1] === import.meta.filename) await main()
