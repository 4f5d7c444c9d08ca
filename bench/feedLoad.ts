// Measures how fast a feed file that is there already is loaded, by the built program, into an empty embedded database and beside as
// many other lots: node --import tsx bench/feedLoad.ts [--lots 100000] [--rounds 3]. Needs dist/ (make bench builds it).
import { mkdtempSync, rmSync } from 'node:fs'
import { cpus, loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { startEmbedded } from '../src/infra/embedded/embeddedDatabase.ts'
import { writeFeed } from './feedFile.ts'
import { createServers } from './servers.ts'

const { values } = parseArgs({
  options: { lots: { type: 'string', default: '100000' }, rounds: { type: 'string', default: '3' } },
})
const lots = Number(values.lots)
process.stdout.write(`${lots} lots a file; ${cpus().length} cores, Node ${process.version}.\n`)
for (let round = 1; round <= Number(values.rounds); round += 1) {
  const folder = mkdtempSync(join(tmpdir(), 'surplus-load-'))
  const files = [join(folder, 'first.ndjson'), join(folder, 'second.ndjson')] as const
  await writeFeed(files[0], lots)
  await writeFeed(files[1], lots, lots)
  const database = await startEmbedded({ dataFolder: folder })
  try {
    const { surplus } = createServers(folder)
    const rate = async (file: string) => {
      const load = JSON.parse(await surplus('ingest', 'feed', '--file', file, '--partial', '--json'))
      return Math.round(load.rows_taken / load.seconds_until_stored)
    }
    const empty = await rate(files[0])
    const beside = await rate(files[1])
    process.stdout.write(
      `Rows a second until they can be searched: ${empty} into an empty database, ${beside} beside the others (load average ${loadavg()[0]!.toFixed(1)}).\n`,
    )
  } finally {
    await database.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}
