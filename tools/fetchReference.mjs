// Fetches the one browser file of the API reference's renderer into vendor/, checked by its SHA-256. Installed as a
// dependency it would bring 243 MB; third-party code is not committed. Without a network the service runs all the same.
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'

const PACKAGE = '@scalar/api-reference@1.72.1'
const MEMBER = 'package/dist/browser/standalone.js'
const SHA256 = 'bf091006bdc3af6067af77c2f534812e3e633e94a94e87138069f570f33b762c'

const vendor = join(import.meta.dirname, '..', 'vendor')
mkdirSync(vendor, { recursive: true })
const folder = mkdtempSync(join(vendor, '.fetched-'))
try {
  const tarball = packed()
  if (tarball) install(tarball)
} finally {
  rmSync(folder, { recursive: true, force: true })
}

function packed() {
  try {
    const args = [
      'pack',
      PACKAGE,
      '--pack-destination',
      folder,
      '--ignore-scripts',
      '--fetch-retries=1',
      '--silent',
    ]
    return join(
      folder,
      execFileSync('npm', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] }).trim(),
    )
  } catch {
    console.error(
      `NOTE: ${PACKAGE} could not be fetched; /docs/reference shows a plain list until "make reference" works.`,
    )
    return null
  }
}

function install(tarball) {
  execFileSync('tar', ['-xzf', tarball, '-C', folder, MEMBER])
  const file = join(folder, MEMBER)
  const sum = createHash('sha256').update(readFileSync(file)).digest('hex')
  if (sum !== SHA256)
    throw new Error(`${PACKAGE}: ${MEMBER} has the SHA-256 ${sum} and not ${SHA256}.`)
  // A copy has the time of today, by which make knows it as made; the package's files are of 1985.
  copyFileSync(file, `${file}.copy`)
  renameSync(`${file}.copy`, join(vendor, 'scalar.js'))
}
