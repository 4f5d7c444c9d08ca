#!/usr/bin/env node
import { setFlagsFromString } from 'node:v8'
import { stopSignal } from './commands/processes.ts'
import { UserError } from './contract/errors.ts'
import { loadEnvironmentFile } from './infra/settings/environmentFile.ts'

// V8 lets the heap grow to four times what lives, where the machine has memory.
// Why: operators on a small machine: 308 to 423 MB resident without it, 208 MB with it, after pages and searches at
// 30,000 lots, for some 15 % of the calls of one lot (docs/decisions/0046-memory.md).
setFlagsFromString('--heap-growing-percent=15')
// Before the other modules are loaded, so that these two end with 0 whenever they are stopped.
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
