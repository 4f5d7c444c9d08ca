#!/usr/bin/env node
import { boundHeap, stopSignal } from './commands/processes.ts'
import { UserError } from './contract/errors.ts'
import { loadEnvironmentFile } from './infra/settings/environmentFile.ts'

// A server does it once it has started.
if (process.argv[2] !== 'serve') boundHeap()
// Before the other modules are loaded, so that these two end with 0 whenever
// they are stopped.
if (['deliver', 'sweep'].includes(process.argv[2] ?? '')) void stopSignal()
try {
  loadEnvironmentFile('.env')
} catch (error) {
  if (!(error instanceof UserError)) throw error
  process.stderr.write(`${error.message}\n`)
  process.exit(error.exitCode)
}
const { runCli } = await import('./cli.ts')
process.exitCode = await runCli(process.argv.slice(2))
