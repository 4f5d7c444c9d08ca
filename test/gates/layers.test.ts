import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { projectFile } from '../../src/contract/projectFile.ts'
import { temporaryFolder } from '../support/run/shared.ts'

const folder = temporaryFolder()

it('make layers counts code lines only, a long one twice, and fails on too many', () => {
  const count = (text: string) => {
    writeFileSync(join(folder, 'counted.ts'), text)
    return spawnSync(process.execPath, [projectFile('tools', 'layers.mjs'), folder], { encoding: 'utf8' })
  }
  const small = count(
    `import { one } from './one.ts'\nexport { two } from './two.ts'\n\n/** A comment. */\nconst a = 1 // one\n/* more\n*/\nconst b = '${'x'.repeat(120)}'\n`,
  )
  expect([small.status, small.stdout]).toEqual([0, expect.stringContaining('1 files, 3 code lines')])
  const large = count('a\n'.repeat(25_000))
  expect([large.status, large.stderr]).toEqual([1, expect.stringContaining('code lines too many')])
})
