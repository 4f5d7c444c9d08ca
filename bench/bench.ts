// Measures processor time a call of the service beside the card, plain, and the limit, in turns,
// and writes bench/RESULTS.md (Linux): node --import tsx bench/bench.ts [--lots 30000] [--sales
// 300000] [--turns 5] [--callers 8] [--only WORDS, and nothing is written] [--folder DIR, kept,
// with its data] [--beside CHECKOUT, built: beside the service of that one instead, on data of its
// own]
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { projectFile } from '../src/contract/projectFile.ts'
import { newKey } from '../src/domain/apiKey.ts'
import { LINES } from './lines.ts'
import { type Loaded, startLoaded } from './loadedService.ts'
import { mbOf } from './processorTime.ts'
import { besidePage, resultsPage, shown } from './report.ts'
import { measureInTurns, type Side, untilQuiet } from './turns.ts'

const { values } = parseArgs({
  options: {
    lots: { type: 'string', default: '30000' },
    sales: { type: 'string', default: '300000' },
    turns: { type: 'string', default: '5' },
    callers: { type: 'string', default: '8' },
    only: { type: 'string' },
    folder: { type: 'string' },
    beside: { type: 'string' },
  },
})
const { lots, sales } = values
const conditions = { lots, sales, turns: Number(values.turns), callers: Number(values.callers) }
const lines = LINES.filter(({ what }) => new RegExp(values.only ?? '').test(what))
const folder = values.folder ?? mkdtempSync(join(tmpdir(), 'surplus-bench-'))
const services: Loaded[] = []

try {
  const own = await start('the service', projectFile('.'))
  const sides = values.beside
    ? [own.side, (await start('the other build', resolve(values.beside))).side]
    : [own.side, ...(await startPlainSides(own))]
  const measured = []
  for (const line of lines) {
    await untilQuiet(sides)
    const turns = await measureInTurns(line, sides, conditions.turns, conditions.callers)
    process.stderr.write(
      `${line.what}: ${sides.map(({ name }) => shown(turns.times.get(name))).join(', ')}\n`,
    )
    measured.push(turns)
  }
  const names = sides.map(({ name }) => name)
  const memory = sides.map(({ name, pids }) => ({ name, mb: mbOf(pids.server, 'VmRSS') }))
  const page = (values.beside ? besidePage : resultsPage)(conditions, measured, names, memory)
  process.stdout.write(page)
  if (!values.beside && !values.only) writeFileSync(projectFile('bench', 'RESULTS.md'), page)
} finally {
  for (const { stop } of services) await stop()
  if (!values.folder) rmSync(folder, { recursive: true, force: true })
}

async function start(name: string, checkout: string): Promise<Loaded> {
  const service = await startLoaded({ name, checkout, folder, lots, sales })
  services.push(service)
  return service
}

/** The card, plain, and the limit, on the database of the service. */
async function startPlainSides({ side, servers, databaseUrl }: Loaded): Promise<Side[]> {
  const key = newKey()
  const start = async (name: string, file: string) => {
    const program = [process.execPath, '--import', 'tsx', projectFile('bench', file), databaseUrl]
    const { address, pid } = await servers.start(name, port => [...program, String(port), key])
    return {
      ...side,
      name,
      address,
      headers: { authorization: `Bearer ${key}` },
      pids: { ...side.pids, server: pid },
    }
  }
  return [
    {
      ...(await start('the card, plain', 'plainCard.ts')),
      answers: ({ what }) => !/page/.test(what),
    },
    {
      ...(await start('the limit', 'limit.ts')),
      answers: ({ what }) => !/page|MCP/.test(what),
    },
  ]
}
