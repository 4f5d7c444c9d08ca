import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'

/** A declared function, or a constant that is one. */
const EXPORTED =
  /^export (?:(?:async )?function\*? ?(\w+)|const (\w+)\b.*?= (?:async )?(?:\(|<|\w+ =>))/gm

/** The files that export a function of each name. */
function filesByName(texts: [file: string, text: string][]): Map<string, string[]> {
  const files = new Map<string, string[]>()
  for (const [file, text] of texts) {
    for (const [, declared, constant] of text.matchAll(EXPORTED)) {
      const name = String(declared ?? constant)
      files.set(name, [...(files.get(name) ?? []), file])
    }
  }
  return files
}

const shared = (files: Map<string, string[]>) => [...files].filter(([, where]) => where.length > 1)

describe('the names of src', () => {
  it('are each that of one exported function', () => {
    const files = readdirSync('src', { recursive: true, encoding: 'utf8' }).filter(file =>
      file.endsWith('.ts'),
    )
    const functions = filesByName(files.map(file => [file, readFileSync(`src/${file}`, 'utf8')]))
    expect(functions.size).toBeGreaterThan(500)
    expect(shared(functions)).toEqual([])
  })

  it('are found in two files, whether a function is declared or a constant', () => {
    const texts: [string, string][] = [
      ['a.ts', 'export async function read(): Promise<void> {}'],
      ['b.ts', 'export const read = (id: string) => id'],
      ['c.ts', 'function read() {}'],
    ]
    expect(shared(filesByName(texts))).toEqual([['read', ['a.ts', 'b.ts']]])
  })
})
