import { writeFile } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { demoLots } from '../src/demo/demoLots.ts'

const HOUR_MS = 3_600_000

/** Writes live lots of the demo as a file in the feed format (NDJSON): so many, after the first `skipped` ones. */
export async function writeFeed(file: string, lots: number, skipped = 0): Promise<void> {
  const asOf = new Date(Math.floor(Date.now() / HOUR_MS) * HOUR_MS)
  const rows = Readable.from(demoLots({ lots: skipped + lots, sales: 0, seed: 1, asOf }))
  await writeFile(
    file,
    rows
      .drop(skipped)
      .take(lots)
      .map(row => `${JSON.stringify(row)}\n`),
  )
}
