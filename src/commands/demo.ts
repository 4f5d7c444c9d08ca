import { Command } from 'commander'
import { readConfig } from '../config.ts'
import { withDatabase } from './context.ts'
import { inWords } from './ingest.ts'
import { loadDemo, loadDemoIfEmpty, loadDemoLotLike } from './loadDemo.ts'
import { answer, JSON_OPTION, progress, wholeNumber } from './terminal.ts'

const MOST_ROWS = 10_000_000
const LARGEST_SEED = 2 ** 31 - 1

interface DemoOptions {
  lots: number
  sales: number
  seed: number
  ifEmpty?: boolean
  like?: string
  json?: boolean
}

export function demoCommand(): Command {
  return new Command('demo')
    .description('load generated demo data: live lots of all categories and sources, and a year of sales')
    .option('--lots <n>', 'how many live lots', wholeNumber('--lots', 0, MOST_ROWS), 20_000)
    .option('--sales <n>', 'how many sales', wholeNumber('--sales', 0, MOST_ROWS), 100_000)
    .option(
      '--seed <n>',
      'another seed makes other data; the same seed the same',
      wholeNumber('--seed', 0, LARGEST_SEED),
      1,
    )
    .option(
      '--if-empty',
      'only into a database without lots, a small part first; completes such a load that was interrupted',
    )
    .option('--like <id>', 'only one lot more, with the facts of this open one; only into demo data')
    .option(...JSON_OPTION)
    .action(demo)
}

async function demo({ lots, sales, seed, ifEmpty, like, json }: DemoOptions): Promise<void> {
  const config = readConfig()
  const settings = { lots, sales, seed, withAlerts: config.mail === null, onProgress: progress }
  // Started by `serve`, which waits for the first part, and ends this process with its own.
  process.once('disconnect', () => process.exit(1))
  process.channel?.unref()
  const onFirstPart = () => void process.send?.('first part')
  const result = await withDatabase(config, sql => {
    if (like) return loadDemoLotLike(sql, like, { now: new Date(), onProgress: progress })
    return ifEmpty
      ? loadDemoIfEmpty(sql, { ...settings, clock: () => new Date(), onFirstPart })
      : loadDemo(sql, { ...settings, now: new Date() })
  })
  answer(json, result ?? { state: 'skipped', reason: 'The database holds lots already.' }, () =>
    result ? inWords(result) : 'The database holds lots already; no demo data is needed.',
  )
}
