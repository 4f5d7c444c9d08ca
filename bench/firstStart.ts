// Measures the first and the second `make run` of a fresh clone with an empty npm cache: node
// --import tsx bench/firstStart.ts [rounds, 3]. Linux only. The commit that is checked out is
// measured, on PORT (8799).
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { projectFile } from '../src/contract/projectFile.ts'

const rounds = Number(process.argv[2] ?? 3)
const port = process.env.PORT ?? '8799'
/** A tick of the times in /proc. */
const TICKS_A_SECOND = Number(execFileSync('getconf', ['CLK_TCK'], { encoding: 'utf8' }))
const PRINTED_CALL = /curl -H "Authorization: Bearer (\S+)" "(\S+)"/

interface Start {
  /** From the command to the first answer with lots, in seconds. */
  wall: number
  /**
   * Of the command and of all processes that it started, PostgreSQL too, in seconds of both cores.
   */
  processor: number
}

interface Process {
  parent: number
  /** Its own and that of its ended children, in ticks. */
  ticks: number
}

/** Every process of the machine by its id. */
function processes(): Map<number, Process> {
  const ids = readdirSync('/proc').filter(name => /^\d+$/.test(name))
  return new Map(
    ids.flatMap((id): [number, Process][] => {
      try {
        // The name before the last parenthesis may contain blanks.
        const fields = readFileSync(`/proc/${id}/stat`, 'utf8')
          .replace(/^.*\) /s, '')
          .split(' ')
          .map(Number)
        const ticks = fields.slice(11, 15).reduce((sum, one) => sum + one, 0)
        return [[Number(id), { parent: fields[1]!, ticks }]]
      } catch {
        return []
      }
    }),
  )
}

/** The processor time of a process and of what it started, in seconds. */
function processorSeconds(root: number): number {
  const all = processes()
  const isOfTree = (id: number): boolean =>
    id === root || (all.has(id) && isOfTree(all.get(id)!.parent))
  const ticks = [...all].filter(([id]) => isOfTree(id)).reduce((sum, [, one]) => sum + one.ticks, 0)
  return ticks / TICKS_A_SECOND
}

/** Starts the service and waits until the printed call finds lots; then stops it as Ctrl-C does. */
async function measureStart(clone: string, env: NodeJS.ProcessEnv): Promise<Start> {
  const startedAt = performance.now()
  const make = spawn('make', ['run'], {
    cwd: clone,
    env,
    detached: true,
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  let said = ''
  make.stdout.on('data', text => {
    said += text
  })
  const hasLots = async () => {
    const [, key, url] = PRINTED_CALL.exec(said) ?? []
    if (!url) return false
    const answer = await fetch(url, { headers: { authorization: `Bearer ${key}` } })
    return answer.status === 200 && ((await answer.json()) as { data: unknown[] }).data.length > 0
  }
  while (!(await hasLots())) {
    if (make.exitCode !== null) throw new Error('make run ended.')
    await wait(10)
  }
  const start = {
    wall: (performance.now() - startedAt) / 1000,
    processor: processorSeconds(make.pid!),
  }
  process.kill(-make.pid!, 'SIGINT')
  await once(make, 'close')
  return start
}

async function measureRound(): Promise<Record<string, number>> {
  const folder = mkdtempSync(join(tmpdir(), 'surplus-first-start-'))
  const clone = join(folder, 'clone')
  const { DATABASE_URL: _, SURPLUS_DATA_DIR: __, ...rest } = process.env
  const env = { ...rest, PORT: port, npm_config_cache: join(folder, 'npm') }
  try {
    execFileSync('git', ['clone', '--quiet', projectFile(), clone])
    const startedAt = performance.now()
    execFileSync('make', ['node_modules/.serving'], { cwd: clone, env, stdio: 'ignore' })
    const npm = (performance.now() - startedAt) / 1000
    const first = await measureStart(clone, env)
    const second = await measureStart(clone, env)
    return {
      'npm, s': npm,
      'first answer after npm, s': first.wall,
      'first answer after npm, s of processor': first.processor,
      'second start, s': second.wall,
      'second start, s of processor': second.processor,
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

const measured = []
for (let round = 0; round < rounds; round += 1) measured.push(await measureRound())
for (const name of Object.keys(measured[0]!)) {
  const values = measured.map(one => one[name]!).sort((a, b) => a - b)
  console.log(
    `${name.padEnd(40)} ${values[rounds >> 1]!.toFixed(1)}   (${values.map(value => value.toFixed(1)).join(', ')})`,
  )
}
