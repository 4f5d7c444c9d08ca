import type { Reporter, TestModule } from 'vitest/node'

/** Closes a run with one plain line that says how many tests passed, failed and were skipped. */
export class ClosingLine implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const counts = { passed: 0, failed: 0, skipped: 0, pending: 0 }
    for (const module of modules) for (const test of module.children.allTests()) counts[test.result().state]++
    console.log(
      `tests: ${counts.passed} passed, ${counts.failed} failed, ${counts.skipped + counts.pending} skipped`,
    )
  }
}
