// Runs a script of the project on Node 24: node tools/node24/run.mjs <script> [arguments…]. Exits as the script does.
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const node24 = fileURLToPath(
  new URL(`node_modules/node-linux-${process.arch}/bin/node`, import.meta.url),
)
if (process.platform !== 'linux' || !existsSync(node24)) {
  console.error(
    `Node 24 comes from npm for Linux on x64 and arm64 only; this is ${process.platform} on ${process.arch}.`,
  )
  process.exit(1)
}
const { status } = spawnSync(node24, process.argv.slice(2), { stdio: 'inherit' })
process.exitCode = status ?? 1
