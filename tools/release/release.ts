// Writes what is frozen with a release into released/: the contract, the schema, a dump with rows in every table, the index of its archives, and what
// the service answered from it. Then it records the checksums of these and of the migrations. Only generated data.
import { createHash } from 'node:crypto'
import {
  chmodSync,
  cpSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import project from '../../package.json' with { type: 'json' }
import { projectFile } from '../../src/contract/projectFile.ts'
import { startCluster } from './cluster.ts'
import { type Facts, fill } from './fill.ts'

const SUMS = projectFile('released', 'SHA256SUMS')
const { version } = project
const released = (name: string) => projectFile('released', name)

const sums = readFileSync(SUMS, 'utf8')
if (sums.includes(`released/dump-${version}.`)) {
  console.error(
    `${version} is released: its files never change. Set the next version in package.json.`,
  )
  process.exit(1)
}
const folder = mkdtempSync(join(tmpdir(), 'surplus-release-'))
chmodSync(folder, 0o755)
const cluster = await startCluster()
try {
  const facts: Facts = await fill(cluster.url, folder)
  const { counts } = facts
  const empty = Object.keys(counts).filter(table => counts[table] === 0)
  if (empty.length > 0)
    throw new Error(`No rows in ${empty.join(', ')}: let tools/release/fill.ts make some.`)
  cpSync(projectFile('openapi.yaml'), released(`openapi-${version}.yaml`))
  writeFileSync(released(`schema-${version}.sql`), portable(cluster.dump('--schema-only')))
  const dump = portable(cluster.dump('--inserts', '--rows-per-insert=100'))
  writeFileSync(released(`dump-${version}.sql.gz`), gzipSync(dump, { level: 9 }))
  writeFileSync(released(`facts-${version}.json`), `${JSON.stringify(facts, null, 1)}\n`)
  // The index of the archives is what a later version reads; the files themselves are only sent.
  for (const part of ['v1', 'aggregates'])
    cpSync(
      join(folder, 'archives', part, 'manifest.json'),
      released(`archives-${version}/${part}/manifest.json`),
    )
} finally {
  cluster.stop()
  rmSync(folder, { recursive: true, force: true })
}
record()

/** Without the commands to psql (`\restrict`), so that any client can send it. */
function portable(dump: string): string {
  return dump.replaceAll(/^\\.*\n/gm, '')
}

/** Adds the checksums of all files of this version and of the migrations that have none. */
function record(): void {
  const files = [
    ...readdirSync(projectFile('migrations')).map(name => `migrations/${name}`),
    ...readdirSync(projectFile('released'), { recursive: true, withFileTypes: true })
      .filter(entry => entry.isFile())
      .map(entry => join(entry.parentPath, entry.name).slice(projectFile().length + 1))
      .filter(file => file.includes(`-${version}`)),
  ].sort()
  const lines = files
    .filter(file => !sums.includes(`  ${file}\n`))
    .map(
      file =>
        `${createHash('sha256')
          .update(readFileSync(projectFile(file)))
          .digest('hex')}  ${file}\n`,
    )
  writeFileSync(SUMS, sums + lines.join(''))
}
