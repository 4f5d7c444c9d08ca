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

const edit = (file: string) => () => appendFileSync(join(copy, file), '\n')
const add =
  (...names: string[]) =>
  () =>
    names.forEach(name => void writeFileSync(join(copy, 'migrations', name), ''))
const ADD = 'make the change in a new migration with the next number.'
const NEXT = 'Give it the next number.'
const CONTRACT = 'released/openapi-1.0.0.yaml'
const KEYS = 'migrations/0004_keys_and_metering.sql'

it.each<[fault: string, advice: string, change: () => void]>([
  [`${CONTRACT} was released and its bytes differ.`, 'by adding to openapi.yaml', edit(CONTRACT)],
  [`${KEYS} was released and its bytes differ.`, ADD, edit(KEYS)],
  [`${KEYS} was released and is missing.`, ADD, () => rmSync(join(copy, KEYS))],
  ['migrations/0004_more.sql is not after migrations/', NEXT, add('0004_more.sql')],
  ['9001_b.sql has the number of another migration.', NEXT, add('9001_a.sql', '9001_b.sql')],
])('make released says "%s", and what to do instead', async (fault, advice, change) => {
  change()
  const { code, lines } = await gate(copy)
  expect([code, lines.at(-1)]).toEqual([1, expect.stringContaining(fault)])
  expect(lines.at(-1)).toContain(advice)
})
