import { existsSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { readContract } from '../../src/contract/document.ts'
import { projectFile } from '../../src/contract/projectFile.ts'
import { faultsOf, type Part, readParts, readTitles, tablesOf } from '../../tools/traceability.ts'
import { needs } from '../support/run/needs.ts'

const SPECIFICATION = projectFile('..', 'shared', 'spec', 'api-specification.md')
const isThere = existsSync(SPECIFICATION)

const parts = readParts()
const titles = readTitles()

/** Titles that no test has. */
const KNOWN = new Map([
  ['once', ['a.test.ts']],
  ['twice', ['a.test.ts', 'b.test.ts']],
])

describe('docs/requirements.yaml', () => {
  it('names files, symbols and tests that exist', () => {
    expect(faultsOf(parts, titles)).toEqual([])
    expect(parts.flatMap(({ requirements }) => requirements).length).toBeGreaterThan(90)
  })

  it('is refused with a sentence that names the entry and what is wrong with it', () => {
    const one = { id: 'ONE-01', says: '', where: ['openapi.yaml'], proof: ['once'] }
    const faults = (entry: object) =>
      faultsOf([{ part: '', requirements: [{ ...one, ...entry }], notes: [] }], KNOWN)
    expect(faults({})).toEqual([])
    expect(faults({ where: ['src/nowhere.ts'] })[0]).toContain(
      'ONE-01: there is no file src/nowhere.ts.',
    )
    expect(faults({ where: ['openapi.yaml#getListin'] })[0]).toContain(
      'openapi.yaml has no getListin.',
    )
    expect(faults({ proof: ['never'] })[0]).toContain('no test has the title "never".')
    expect(faults({ proof: ['twice'] })[0]).toContain('a.test.ts, b.test.ts have a test "twice".')
    expect(faults({ where: undefined })[0]).toContain('"where" is empty.')
  })

  it('is printed as tables, with a link to each test: make traceability', () => {
    const tables = tablesOf(parts, titles)
    for (const { id } of parts.flatMap(({ requirements }) => requirements))
      expect(tables).toContain(`| ${id} |`)
    expect(tables).toMatch(/\]\(test\/contract\/searchListings\.test\.ts\)/)
  })
})

describe('the specification', needs(isThere, `the specification (${SPECIFICATION})`), () => {
  const sections = isThere
    ? sectionsOf(readFileSync(SPECIFICATION, 'utf8'))
    : new Map<string, string>()

  it('has the parts of docs/requirements.yaml, in its order, and those of operations, which the ledger proves', () => {
    const named = parts.map(({ part }) => part)
    const speaking = [...sections].filter(([, text]) => text !== '').map(([heading]) => heading)
    expect(named).toEqual(
      speaking.filter(heading => named.includes(heading) || !operationOf(heading)),
    )
    const operations = speaking.flatMap(heading => operationOf(heading) ?? [])
    expect(operations.length).toBeGreaterThan(5)
    expect(readContract().operations.map(({ path }) => path)).toEqual(
      expect.arrayContaining(operations),
    )
  })

  it('has every quote, under its heading', () => {
    const missing = quotesOf(parts).filter(
      ({ part, quote }) => !sections.get(part)?.includes(quote),
    )
    expect(missing).toEqual([])
  })

  it('has no word that is not quoted, but for the parameters and answers of operations', () => {
    const unquoted = [...sections].flatMap(([part, text]) => {
      if (operationOf(part)) return []
      const quotes = quotesOf(parts).filter(one => one.part === part)
      return restOf(
        text,
        quotes.map(({ quote }) => quote),
      ).map(words => `${part}: ${words}`)
    })
    expect(unquoted).toEqual([])
  })
})

/**
 * The path of the operation that a heading such as `GET /api/v1/listings (tier: Free)` names; null
 * for any other.
 */
function operationOf(heading: string): string | null {
  return /^(?:GET|HTTP) (\/api\/v1\/\S+)/.exec(heading)?.[1] ?? null
}

function quotesOf(all: Part[]): { part: string; quote: string }[] {
  return all.flatMap(({ part, requirements, notes }) =>
    [...requirements, ...notes].map(({ says }) => ({ part, quote: folded(says) })),
  )
}

/** The text under each heading, without the heads of tables, white space folded. */
function sectionsOf(markdown: string): Map<string, string> {
  const sections = new Map<string, string>()
  let heading = ''
  const lines = markdown.split('\n')
  lines.forEach((line, index) => {
    const isTableHead = /^\|[-|]+\|$/.test(lines[index + 1] ?? '')
    if (/^#+ /.test(line)) heading = line.replace(/^#+ /, '')
    else if (!isTableHead) sections.set(heading, folded(`${sections.get(heading) ?? ''} ${line}`))
    if (!sections.has(heading)) sections.set(heading, '')
  })
  return sections
}

/** What is left of a text between the quotes and holds a word; numbers of a list are none. */
function restOf(text: string, quotes: string[]): string[] {
  const isQuoted = new Array<boolean>(text.length).fill(false)
  for (const quote of quotes) {
    for (let at = text.indexOf(quote); at >= 0; at = text.indexOf(quote, at + 1))
      isQuoted.fill(true, at, at + quote.length)
  }
  const rest = text.replace(/./gs, (character, index: number) =>
    isQuoted[index] ? '\n' : character,
  )
  return rest.split('\n').filter(piece => /[a-z0-9]/i.test(piece.replace(/\b\d\. /g, '')))
}

function folded(text: string): string {
  return text.replace(/\s+/g, ' ').trim()
}
