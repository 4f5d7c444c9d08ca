#!/usr/bin/env node
import { existsSync } from 'node:fs'
import { stopSignal } from './commands/processes.ts'

// Before the other modules are loaded, so that these two end with 0 whenever they are stopped.
if (['deliver', 'sweep'].includes(process.argv[2] ?? '')) void stopSignal()
// What is set in the environment stays.
try {
  if (existsSync('.env')) process.loadEnvFile()
} catch {
  process.stderr.write('.env cannot be read: it must be a file that this account may read.\n')
  process.exit(2)
}
const { runCli } = await import('./cli.ts')
process.exitCode = await runCli(process.argv.slice(2))
