import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { projectFile } from '../../src/contract/projectFile.ts'
import { readTitles } from '../../tools/traceability.ts'

const text = readFileSync(projectFile('docs', 'security.md'), 'utf8')
const titles = readTitles()

/**
 * The tests that a piece of the document names: a line of a list that is a link to a file of tests.
 */
const namedIn = (piece: string) =>
  [...piece.matchAll(/^- \[(.+)\]\(\.\.\/test\/(.+)\)$/gm)].map(([, title = '', file = '']) => ({
    title,
    file,
  }))

describe('docs/security.md', () => {
  it('names tests that are there, in the files where they are', () => {
    const named = namedIn(text)
    expect(named.length).toBeGreaterThan(30)
    expect(named.filter(({ title, file }) => !titles.get(title)?.includes(file))).toEqual([])
  })

  it('answers each of the OWASP API Security Top 10 (2023) with words and a test', () => {
    const sections = text.split(/^### /m).slice(1)
    expect(sections.map(section => section.split(' ')[0])).toEqual(
      Array.from({ length: 10 }, (_, n) => `API${n + 1}`),
    )
    for (const section of sections) {
      const own = section.split(/^## /m)[0]!
      expect(namedIn(own).length, own.split('\n')[0]).toBeGreaterThan(1)
      expect(own.split('\n\n')[1]!.length, own.split('\n')[0]).toBeGreaterThan(80)
    }
  })
})
