import { execFileSync, spawnSync } from 'node:child_process'
import { chmodSync, cpSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { projectFile } from '../../src/contract/projectFile.ts'
import { temporaryFolder } from '../support/run/shared.ts'

const folder = temporaryFolder()
const repository = join(folder, 'repository')
/**
 * A folder of programs with an `npx` that only prints what it would run, and fails where the file
 * `broken` exists.
 */
const programs = join(folder, 'programs')

function git(...args: string[]) {
  const identity = ['-c', 'user.name=Tests', '-c', 'user.email=tests@example.com']
  return execFileSync('git', [...identity, ...args], { cwd: repository, encoding: 'utf8' })
}

function write(path: string, text: string) {
  const file = join(repository, path)
  mkdirSync(join(file, '..'), { recursive: true })
  writeFileSync(file, text)
}

function commit(message: string) {
  git('add', '-A')
  git('commit', '-qm', message)
}

function slowTests(...args: string[]) {
  const env = { ...process.env, PATH: `${programs}:${process.env.PATH}` }
  const { status, stdout } = spawnSync(join('tools', 'slowTests.sh'), args, {
    cwd: repository,
    env,
    encoding: 'utf8',
  })
  return {
    status,
    stdout,
    ran: [...stdout.matchAll(/^ran test\/slow\/(\w+)$/gm)].map(([, name]) => name),
  }
}

it('CI runs a folder of slow tests unless a commit says that it passed with the files that it watches', () => {
  mkdirSync(programs, { recursive: true })
  writeFileSync(
    join(programs, 'npx'),
    '#!/bin/sh\n[ ! -e broken ] || exit 1\nfor last; do :; done\necho "ran $last"\n',
  )
  chmodSync(join(programs, 'npx'), 0o755)
  for (const path of [
    'src/pages/page.ts',
    'src/domain/rule.ts',
    'openapi.yaml',
    'package-lock.json',
    'README.md',
  ])
    write(path, 'before')
  mkdirSync(join(repository, 'tools'))
  cpSync(projectFile('tools', 'slowTests.sh'), join(repository, 'tools', 'slowTests.sh'))
  git('init', '-q')
  commit('Begin')
  expect(slowTests('changed').ran).toEqual(['gates', 'scale', 'faults', 'browser', 'valuation'])

  write('src/domain/rule.ts', 'after')
  const { stdout } = slowTests('all', 'scale', 'browser')
  const trailers = stdout.match(/^Slow-Tests: (scale|browser) [0-9a-f]{40}$/gm)!
  expect(trailers).toHaveLength(2)
  commit(`Change a rule\n\nFor nobody.\n\n${trailers.join('\n')}`)
  write('README.md', 'after')
  commit('Change what no folder watches')
  expect(slowTests('changed', 'scale', 'browser').ran).toEqual([])

  write('src/pages/page.ts', 'after')
  expect(slowTests('changed', 'scale', 'browser').ran).toEqual(['browser'])
  write('src/domain/rule.ts', 'after that')
  write('src/pages/page.ts', 'before')
  expect(slowTests('changed', 'scale', 'browser').ran).toEqual(['scale'])
  write('broken', '')
  expect(slowTests('changed', 'scale')).toMatchObject({
    status: 1,
    stdout: expect.not.stringContaining('Slow-Tests'),
  })
})
