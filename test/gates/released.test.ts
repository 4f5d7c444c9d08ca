import { execFile } from 'node:child_process'
import { appendFileSync, cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { projectFile } from '../../src/contract/projectFile.ts'

let copy: string
beforeEach(() => {
  copy = mkdtempSync(join(tmpdir(), 'surplus-released-'))
  for (const folder of ['released', 'migrations'])
    cpSync(projectFile(folder), join(copy, folder), { recursive: true })
})
afterEach(() => rmSync(copy, { recursive: true }))

/** Runs the gate on a project folder. */
const gate = (folder: string) =>
  new Promise<{ code: number; lines: string[] }>(resolve => {
    execFile(process.execPath, [projectFile('tools', 'released.mjs'), folder], (error, _, stderr) =>
      resolve({ code: error ? 1 : 0, lines: stderr.trim().split('\n') }),
    )
  })

it('every released file of the project has its released bytes', async () => {
  expect(await gate(projectFile())).toEqual({ code: 0, lines: [''] })
})

const ADD = 'Databases have run it: make the change in a new migration with the next number.'
const NEXT = 'Give it the next number.'

it.each<[string, (folder: string) => void, string]>([
  [
    'released/openapi-1.0.0.yaml was released and its bytes differ.',
    folder => appendFileSync(join(folder, 'released/openapi-1.0.0.yaml'), '\n'),
    'change the contract by adding to openapi.yaml',
  ],
  [
    'migrations/0004_keys_and_metering.sql was released and its bytes differ.',
    folder => appendFileSync(join(folder, 'migrations/0004_keys_and_metering.sql'), '-- why\n'),
    ADD,
  ],
  [
    'migrations/0003_valuation.sql was released and is missing.',
    folder => rmSync(join(folder, 'migrations/0003_valuation.sql')),
    ADD,
  ],
  [
    'migrations/0004_more.sql is not after migrations/',
    folder => writeFileSync(join(folder, 'migrations/0004_more.sql'), ''),
    NEXT,
  ],
  [
    'migrations/9001_b.sql has the number of another migration.',
    folder => {
      for (const name of ['a', 'b']) writeFileSync(join(folder, `migrations/9001_${name}.sql`), '')
    },
    NEXT,
  ],
])('make released says "%s", and what to do instead', async (fault, change, advice) => {
  change(copy)
  const { code, lines } = await gate(copy)
  expect([code, lines.at(-1)]).toEqual([1, expect.stringContaining(fault)])
  expect(lines.at(-1)).toContain(advice)
})
