import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { projectFile } from '../../src/contract/projectFile.ts'

const folder = mkdtempSync(join(tmpdir(), 'surplus-floors-'))

afterAll(() => rmSync(folder, { recursive: true }))

/** Runs the gate on a folder with these files, each of so many lines. */
function gate(name: string, files: Record<string, number>): { passes: boolean; words: string } {
  for (const [file, lines] of Object.entries(files)) {
    const path = join(folder, name, file)
    mkdirSync(join(path, '..'), { recursive: true })
    writeFileSync(path, 'line\n'.repeat(lines))
  }
  const { status, stderr } = spawnSync(
    process.execPath,
    [projectFile('tools', 'layers.mjs'), join(folder, name)],
    {
      encoding: 'utf8',
    },
  )
  return { passes: status === 0, words: stderr }
}

describe('the gate of sizes and names', () => {
  it('passes folders of files that begin with different words', () => {
    expect(gate('plain', { 'domain/slug.ts': 40, 'domain/zipCode.ts': 40, 'main.ts': 4 }).passes).toBe(true)
  })

  it('passes use-cases that share a verb, and no others', () => {
    expect(
      gate('verbs', { 'usecases/readComps.ts': 40, 'usecases/readListing.ts': 40, 'main.ts': 4 }).passes,
    ).toBe(true)
    const { passes, words } = gate('nouns', { 'domain/lotIndex.ts': 40, 'domain/lotSearch.ts': 40 })
    expect([passes, words]).toEqual([
      false,
      expect.stringContaining('src/domain: "lot" begins lotIndex, lotSearch.'),
    ])
  })

  it.each([
    ['a short file', { 'domain/slug.ts': 14 }, 'src/domain/slug.ts has 14 lines'],
    ['a large src', { 'domain/slug.ts': 32_501 }, 'src has 32501 lines, 1 too many'],
    [
      'a full folder',
      Object.fromEntries([...'abcdefghijklmnop'].map(letter => [`domain/${letter}.ts`, 40])),
      'src/domain has 16 files',
    ],
  ])('fails on %s', (name, files, sentence) => {
    const { passes, words } = gate(name.replaceAll(' ', '-'), files)
    expect([passes, words]).toEqual([false, expect.stringContaining(sentence)])
  })
})
