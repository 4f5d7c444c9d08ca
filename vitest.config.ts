import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { defineConfig } from 'vitest/config'
import { ClosingLine } from './test/support/run/closingLine.ts'

const globalSetup = ['test/support/run/globalSetup.ts']
// Only a test that hangs runs into these, however busy the machine is.
const shared = {
  testTimeout: 360_000,
  hookTimeout: 600_000,
  expect: { poll: { timeout: 120_000, interval: 50 } },
}

export default defineConfig({
  test: {
    // The contract tests write into it and the ledger reads it: two projects, so one folder for both.
    provide: { ledgerFolder: join(tmpdir(), `surplus-ledger-${process.pid}`) },
    reporters: ['default', new ClosingLine()],
    // On two cores: a fifth of a file's time is waiting.
    maxWorkers: 3,
    projects: [
      {
        extends: true,
        test: {
          ...shared,
          name: 'tests',
          globalSetup,
          include: ['test/**/*.test.ts'],
          exclude: ['test/contract/ledger.test.ts', 'test/site/**', 'test/slow/**'],
          // Files share the modules of their worker: a third less processor time, and no test changes a module.
          isolate: false,
          sequence: { groupOrder: 0 },
        },
      },
      // Whole minutes of load, faults and looks. Each folder runs when what it watches has changed (make test-slow).
      {
        extends: true,
        test: {
          ...shared,
          name: 'slow',
          globalSetup,
          include: ['test/slow/**/*.test.ts'],
          isolate: false,
          testTimeout: 1_800_000,
          hookTimeout: 1_800_000,
        },
      },
      // Every page of the site, found by its links (make site-check, make shots).
      {
        extends: true,
        test: { ...shared, name: 'site', globalSetup, include: ['test/site/*.test.ts'] },
      },
      // Reads what the contract tests have proven, so it runs when they are done.
      {
        extends: true,
        test: {
          ...shared,
          name: 'ledger',
          include: ['test/contract/ledger.test.ts'],
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
})
