import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { defineConfig } from 'vitest/config'
import { ClosingLine } from './test/support/run/closingLine.ts'

const shared = { testTimeout: 20_000, hookTimeout: 60_000 }

export default defineConfig({
  test: {
    // The contract tests write into it and the ledger reads it: two projects, so one folder for both.
    provide: { ledgerFolder: join(tmpdir(), `surplus-ledger-${process.pid}`) },
    reporters: ['default', new ClosingLine()],
    maxWorkers: 2,
    projects: [
      {
        extends: true,
        test: {
          ...shared,
          name: 'tests',
          globalSetup: ['test/support/run/globalSetup.ts'],
          include: ['test/**/*.test.ts'],
          exclude: ['test/contract/ledger.test.ts'],
          sequence: { groupOrder: 0 },
        },
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
