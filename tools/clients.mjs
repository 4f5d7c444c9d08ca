// Derives the TypeScript client from the contract: compiled and packed. With --check it fails when the packed client is stale.
import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { gunzipSync } from 'node:zlib'

const at = path => fileURLToPath(new URL(`../${path}`, import.meta.url))
const PACKED = 'generated/downloads/surplus-auctions-client.tgz'
const packed = packedClient()
if (!process.argv.includes('--check')) {
  mkdirSync(at('generated/downloads'), { recursive: true })
  writeFileSync(at(PACKED), packed)
} else if (
  !existsSync(at(PACKED)) ||
  !gunzipSync(readFileSync(at(PACKED))).equals(gunzipSync(packed))
) {
  console.error(`${PACKED} is stale. Run: make clients`)
  process.exitCode = 1
}

/** The package as `npm pack` makes it: the same bytes for the same files. */
function packedClient() {
  const folder = at('dist/client')
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  for (const name of ['index.ts', 'package.json', 'README.md'])
    cpSync(at(`clients/typescript/${name}`), `${folder}/${name}`)
  cpSync(at('generated/openapi.ts'), `${folder}/openapi.d.ts`)
  const compiling =
    '--declaration --strict --skipLibCheck --target es2022 --lib es2023,dom --module nodenext --moduleResolution nodenext'
  execFileSync(
    process.execPath,
    [at('node_modules/typescript/bin/tsc'), 'index.ts', ...compiling.split(' ')],
    {
      cwd: folder,
      stdio: ['ignore', 2, 2],
    },
  )
  const [packed] = JSON.parse(
    execFileSync('npm', ['pack', '--json', '--loglevel=error'], { cwd: folder, encoding: 'utf8' }),
  )
  return readFileSync(`${folder}/${packed.filename}`)
}
