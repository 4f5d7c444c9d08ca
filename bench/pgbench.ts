import { execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { CONNECTIONS } from './duels.ts'
import { pageStatement } from './exports.ts'

const PLACES = [
  '/usr/bin/pgbench',
  ...[15, 16, 17, 18].map(major => `/usr/lib/postgresql/${major}/bin/pgbench`),
]
const SECONDS = 5
const SHAPES = { everything: {}, 'a category': { category: 'vehicles' }, 'a state': { state: 'TX' } }

/** R3: the statement of a page, without its count, straight from PostgreSQL; null where pgbench is not installed. */
export async function measurePgbench(
  databaseUrl: string,
): Promise<{ shape: string; perSecond: number }[] | null> {
  const program = PLACES.find(place => existsSync(place))
  if (!program) return null
  const folder = mkdtempSync(join(tmpdir(), 'surplus-pgbench-'))
  const script = join(folder, 'page.sql')
  const measured: { shape: string; perSecond: number }[] = []
  for (const [shape, filter] of Object.entries(SHAPES)) {
    const page = await pageStatement(databaseUrl, 'ending_soon', 20, filter)
    writeFileSync(script, `select json_agg(page)::text from (${page.replaceAll('\n', ' ')}) as page;\n`)
    const options = [
      '-n',
      '-c',
      String(CONNECTIONS),
      '-j',
      '2',
      '-T',
      String(SECONDS),
      '-f',
      script,
      databaseUrl,
    ]
    const printed = execFileSync(program, options, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })
    measured.push({ shape, perSecond: Number(/tps = ([\d.]+)/.exec(printed)?.[1]) })
  }
  rmSync(folder, { recursive: true })
  return measured
}
