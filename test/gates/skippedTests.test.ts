import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { projectFile } from '../../src/contract/projectFile.ts'

it('a test that may be skipped names what it needs, so that the closing line does (test/support/run/needs.ts)', () => {
  const folder = projectFile('test')
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(file =>
    file.endsWith('.ts'),
  )
  expect(files.length).toBeGreaterThan(100)
  const silent = files.filter(file =>
    /\b(it|test|describe)\.(skipIf|runIf|skip|todo)\b/.test(
      readFileSync(join(folder, file), 'utf8'),
    ),
  )
  expect(silent).toEqual([])
})
