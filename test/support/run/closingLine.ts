import { readdirSync } from 'node:fs'
import type { Reporter, TestModule } from 'vitest/node'
import { REAL_LOTS, WITHOUT_REAL_LOTS } from './realLots.ts'

/** What `make test` leaves out, and the command that runs it. */
const APART = {
  'test/slow': 'make test-slow',
  'test/site': 'make site-check',
}

/** Closes a run with one plain line that says how many tests passed, failed and were skipped, and what was not run. */
export class ClosingLine implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const counts = { passed: 0, failed: 0, skipped: 0, pending: 0 }
    for (const module of modules) for (const test of module.children.allTests()) counts[test.result().state]++
    const isWhole = modules.some(({ moduleId }) => moduleId.endsWith('test/contract/ledger.test.ts'))
    if (isWhole)
      for (const [folder, command] of Object.entries(APART))
        console.log(`not run: ${folder} (${filesIn(folder)} files). Run: ${command}`)
    if (!REAL_LOTS) console.log(WITHOUT_REAL_LOTS)
    console.log(
      `tests: ${counts.passed} passed, ${counts.failed} failed, ${counts.skipped + counts.pending} skipped`,
    )
  }
}

function filesIn(folder: string): number {
  return readdirSync(folder, { recursive: true }).filter(file => String(file).endsWith('.test.ts')).length
}
