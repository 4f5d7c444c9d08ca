// Writes the section of CONTRIBUTING.md that says what one request runs, from a real one on the built program, which it counts.
import { execFileSync } from 'node:child_process'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { projectFile } from '../src/contract/projectFile.ts'
import { openAdminConnection } from '../src/infra/postgres/database.ts'
import { migrate } from '../src/infra/postgres/migrations.ts'
import { seedSources } from '../src/usecases/ingestion/trackedSources.ts'
import { startThrowawayCluster } from '../test/support/database/throwawayCluster.ts'
import { measureWalks, type Walk } from './filesRun.ts'

const BEGIN = '<!-- one request: derived by make generate -->\n'
const END = '<!-- end of one request -->\n'

/** The section, as Markdown: how many files each call runs, and which ones a search runs, folder by folder. */
export function renderWalks(walks: Walk[]): string {
  const rows = walks.map(({ what, bar, ran }) => `| ${what} | ${Object.keys(ran).length} | ${bar} |\n`)
  const folders = new Map<string, string[]>()
  for (const file of Object.keys(walks[0]?.ran ?? {}).sort()) {
    const [, folder = '', name = ''] = /^src\/(?:(.*)\/)?(\w+)\.ts$/.exec(file) ?? []
    folders.set(folder, [...(folders.get(folder) ?? []), name])
  }
  const files = [...folders].map(([folder, names]) => `- \`${folder || 'src'}\`: ${names.join(', ')}\n`)
  return `| One call, by V8's count of the functions that run | Files | At most |\n|---|---:|---:|\n${rows.join('')}
The files of a search that is new, by folder:

${files.join('')}`
}

/** The section of CONTRIBUTING.md, or null when there is none. */
export function readSection(readme: string): string | null {
  const [begin, end] = [readme.indexOf(BEGIN), readme.indexOf(END)]
  return begin < 0 || end < begin ? null : readme.slice(begin + BEGIN.length, end)
}

async function main(): Promise<void> {
  const file = projectFile('CONTRIBUTING.md')
  const readme = readFileSync(file, 'utf8')
  const section = readSection(readme)
  if (section === null) throw new Error(`CONTRIBUTING.md lacks the lines ${BEGIN.trim()} and ${END.trim()}.`)
  const built = projectFile('node_modules', '.cache', `surplus-request-${process.pid}`)
  execFileSync(process.execPath, [projectFile('tools', 'build.mjs'), built, 'test/support', 'tools'])
  const cluster = await startThrowawayCluster()
  const admin = openAdminConnection(cluster.url)
  const name = `surplus_request_${process.pid}`
  await admin.unsafe(`create database ${name}`)
  try {
    const url = new URL(cluster.url)
    url.pathname = `/${name}`
    const sql = openAdminConnection(url.href)
    await migrate(sql)
    await seedSources(sql)
    await sql.end()
    const walks = await measureWalks(built, url.href)
    writeFileSync(file, readme.replace(BEGIN + section, BEGIN + renderWalks(walks)))
  } finally {
    await admin.unsafe(`drop database ${name} with (force)`)
    await admin.end()
    await cluster.stop()
    rmSync(built, { recursive: true })
  }
}

if (process.argv[1] === import.meta.filename) await main()
