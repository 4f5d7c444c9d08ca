// Fails when a released file changed or is missing, or when a new migration does not come last: released/SHA256SUMS has the checksum of each
// released file (`sha256sum -c` reads it too). Argument: another project folder, for the test of this gate.
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = process.argv[2] ?? fileURLToPath(new URL('..', import.meta.url))
const SUMS = 'released/SHA256SUMS'
const UNDO = `Undo the change (git checkout "$(git log -1 --format=%h ${SUMS})" -- FILE).`
const INSTEAD = {
  migrations: 'Databases have run it: make the change in a new migration with the next number.',
  released:
    'Users have it: change the contract by adding to openapi.yaml, the schema by a new migration.',
}

const released = new Map(
  readFileSync(join(root, SUMS), 'utf8')
    .split('\n')
    .filter(line => line !== '')
    .map(line => [line.slice(66), line.slice(0, 64)]),
)
const migrations = readdirSync(join(root, 'migrations')).sort()
const faults = [...[...released].flatMap(changed), ...migrations.flatMap(misplaced)]
for (const fault of faults) console.error(fault)
if (faults.length > 0) process.exitCode = 1
else console.log(`${released.size} released files are unchanged.`)

function changed([file, checksum]) {
  const path = join(root, file)
  const advice = `${UNDO.replace('FILE', file)} ${INSTEAD[file.split('/')[0]]}`
  if (!existsSync(path)) return [`${file} was released and is missing. ${advice}`]
  const found = createHash('sha256').update(readFileSync(path)).digest('hex')
  return found === checksum ? [] : [`${file} was released and its bytes differ. ${advice}`]
}

/** A database applies migrations by number: one before the last released would never run where that one has. */
function misplaced(name) {
  const last = [...released.keys()]
    .filter(file => file.startsWith('migrations/'))
    .sort()
    .at(-1)
  const file = `migrations/${name}`
  if (released.has(file) || last === undefined) return []
  const numbers = migrations.map(other => other.slice(0, 4))
  if (!/^\d{4}_\w+\.sql$/.test(name))
    return [`${file} is no migration. Name it like 0012_what_it_does.sql.`]
  if (name.slice(0, 4) <= last.slice(11, 15))
    return [`${file} is not after ${last}, which was released last. Give it the next number.`]
  if (numbers.indexOf(name.slice(0, 4)) !== numbers.lastIndexOf(name.slice(0, 4)))
    return [`${file} has the number of another migration. Give it the next number.`]
  return []
}
