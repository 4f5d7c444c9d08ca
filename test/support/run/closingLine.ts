import { readdirSync } from 'node:fs'
import type { Reporter, TestCase, TestModule, Vitest } from 'vitest/node'

/** What `make test` leaves out, and the command that runs it. */
const APART = {
  'test/slow': 'make test-slow',
  'test/site': 'make site-check',
}

/**
 * Closes a run with plain lines that say how many tests passed, failed and were skipped, for want
 * of what, and what was not run.
 */
export class ClosingLine implements Reporter {
  /** A run of chosen titles (`-t`) skips the others; nothing is missing then. */
  private isOfChosenTitles = false

  onInit(vitest: Vitest): void {
    this.isOfChosenTitles = vitest.config.testNamePattern !== undefined
  }

  onTestRunEnd(modules: readonly TestModule[]): void {
    const counts = { passed: 0, failed: 0, skipped: 0, pending: 0 }
    const wanting = new Map<string, number>()
    for (const module of modules)
      for (const test of module.children.allTests()) {
        const { state } = test.result()
        counts[state]++
        if (state === 'skipped') wanting.set(wantOf(test), (wanting.get(wantOf(test)) ?? 0) + 1)
      }
    const isWhole = modules.some(({ moduleId }) =>
      moduleId.endsWith('test/contract/ledger.test.ts'),
    )
    if (isWhole)
      for (const [folder, command] of Object.entries(APART))
        console.log(`not run: ${folder} (${filesIn(folder)} files). Run: ${command}`)
    if (!this.isOfChosenTitles)
      for (const [want, tests] of wanting) console.log(`skipped for want of ${want}: ${tests}`)
    console.log(
      `tests: ${counts.passed} passed, ${counts.failed} failed, ${counts.skipped + counts.pending} skipped`,
    )
  }
}

function wantOf(test: TestCase): string {
  return test.meta().needs ?? `a reason in ${test.module.relativeModuleId}`
}

function filesIn(folder: string): number {
  return readdirSync(folder, { recursive: true }).filter(file => String(file).endsWith('.test.ts'))
    .length
}
