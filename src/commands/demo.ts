import { Command } from 'commander'
import { readConfig } from '../config.ts'
import { withDatabase } from './context.ts'
import { inWords } from './ingest.ts'
import { DEMO_SIZE, loadDemo, loadDemoLotLike } from './loadDemo.ts'
import { answer, JSON_OPTION, progress, wholeNumber } from './terminal.ts'

const MOST_ROWS = 10_000_000
const LARGEST_SEED = 2 ** 31 - 1

interface DemoOptions {
  lots: number
  sales: number
  seed: number
  like?: string
  json?: boolean
}

export function demoCommand(): Command {
  return new Command('demo')
    .description('load generated demo data: live lots of all categories and sources, and a year of sales')
    .option('--lots <n>', 'how many live lots', wholeNumber('--lots', 0, MOST_ROWS), DEMO_SIZE.lots)
    .option('--sales <n>', 'how many sales', wholeNumber('--sales', 0, MOST_ROWS), DEMO_SIZE.sales)
    .option(
      '--seed <n>',
      'another seed makes other data; the same seed the same',
      wholeNumber('--seed', 0, LARGEST_SEED),
      DEMO_SIZE.seed,
    )
    .option('--like <id>', 'only one lot more, with the facts of this open one; only into demo data')
    .option(...JSON_OPTION)
    .action(demo)
}

async function demo({ lots, sales, seed, like, json }: DemoOptions): Promise<void> {
  const config = readConfig()
  const moment = { now: new Date(), onProgress: progress }
  const result = await withDatabase(config, sql =>
    like
      ? loadDemoLotLike(sql, like, moment)
      : loadDemo(sql, { lots, sales, seed, withAlerts: config.mail === null, ...moment }),
  )
  answer(json, result, () => inWords(result))
}
