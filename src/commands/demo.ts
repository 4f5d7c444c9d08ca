import { Command } from 'commander'
import { readConfig } from '../config.ts'
import { loadDemo } from '../usecases/ingestion/loadDemo.ts'
import { wholeNumber } from './arguments.ts'
import { inWords } from './ingest.ts'
import { createReport } from './report.ts'
import { atWork } from './workplace.ts'

const MOST_ROWS = 10_000_000
const LARGEST_SEED = 2 ** 31 - 1

interface DemoOptions {
  lots: number
  sales: number
  seed: number
  ifEmpty?: boolean
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
    .option('--if-empty', 'only when the database holds no lot')
    .option('--json', 'print one JSON document')
    .action(demo)
}

async function demo({ lots, sales, seed, ifEmpty = false, json = false }: DemoOptions): Promise<void> {
  const report = createReport(json)
  const result = await atWork(readConfig(), sql =>
    loadDemo(sql, { lots, sales, seed, ifEmpty, now: new Date(), onProgress: report.progress }),
  )
  report.answer(result ?? { state: 'skipped', reason: 'The database holds lots already.' }, () =>
    result ? inWords(result) : 'The database holds lots already; no demo data is needed.',
  )
}
