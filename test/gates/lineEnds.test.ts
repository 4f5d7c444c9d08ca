import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { projectFile } from '../../src/contract/projectFile.ts'

const git = (...args: string[]): string =>
  spawnSync('git', ['-C', projectFile(), ...args], { encoding: 'utf8', maxBuffer: 1e9 }).stdout

it('scripts, settings and recorded files keep their line ends in a clone with core.autocrlf', () => {
  const folder = mkdtempSync(join(tmpdir(), 'surplus-clone-'))
  const names = git('ls-files').split('\n')
  const files = names.filter(name =>
    /\.(sh|env|cfg|service|sql)$|^(\.ci\/run|Makefile|src\/main\.ts)$/.test(name),
  )
  expect(files).toContain('deploy/keepAccounts.sh')
  git('-c', 'core.autocrlf=true', 'checkout-index', `--prefix=${folder}/`, '--', ...files)
  const changed = files.filter(name => readFileSync(join(folder, name)).includes('\r\n'))
  rmSync(folder, { recursive: true })
  expect(changed).toEqual([])
})
