#!/usr/bin/env -S node --max-semi-space-size=8 --no-allocation-site-pretenuring --heap-growing-percent=40
// This first line is the one place of the V8 flags (docs/decisions/0022-garbage.md): start the file itself, not `node` with it.
import { stopSignal } from './commands/processes.ts'

// Before the other modules are loaded, so that these two end with 0 whenever they are stopped.
if (['deliver', 'sweep'].includes(process.argv[2] ?? '')) void stopSignal()
const { runCli } = await import('./cli.ts')
process.exitCode = await runCli(process.argv.slice(2))
