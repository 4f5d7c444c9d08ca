import { once } from 'node:events'
import { beforeAll, describe, expect, it } from 'vitest'
import { GUIDES } from '../../src/pages/docs/guides.ts'
import { contract } from '../support/contract/contract.ts'
import { insertLots, NOW } from '../support/lots/fixtures.ts'
import { startProgram, testPrograms } from '../support/run/guidePrograms.ts'
import { serviceFor } from '../support/service/start.ts'
import { readPage } from '../support/site/readPage.ts'

const DOCUMENTS = GUIDES.filter(({ document }) => document !== null)

const site = serviceFor({ now: NOW, linksToItself: true })

beforeAll(async () => {
  const lots = Array.from({ length: 60 }, (_, n) => ({
    slug: `desk-${n}`,
    title: `Desk ${n}.`,
    state: 'TX',
  }))
  await insertLots(site.sql, lots)
})

const read = (path: string) => readPage(site.address + path)

describe('every guide', () => {
  it.each(DOCUMENTS)(
    '$path is also Markdown, with its tables and addresses filled in, and no link to a file',
    async ({ path }) => {
      const { html } = await read(path)
      expect(html).toContain(
        `<link rel="alternate" type="text/markdown" href="${site.address}${path}.md">`,
      )
      const { status, headers, html: text } = await read(`${path}.md`)
      expect([status, headers.get('content-type')]).toEqual([200, 'text/markdown; charset=utf-8'])
      expect(text).toMatch(/^# \S/)
      expect(text).not.toMatch(/(?<!\/)\{[a-z_]+\}|\]\((?!https:|mailto:|\/|#)/)
      expect((await read('/llms-full.txt')).html).toContain(text)
    },
  )

  it.each(DOCUMENTS)(
    '$path shows no address of another service and no command of developers',
    async ({ path }) => {
      const { html, words } = await read(path)
      expect(words).not.toMatch(/https:\/\/surplus\.example|\bmake (run|test|check|conformance)\b/)
      expect(html).not.toMatch(/\salign=|\sid="[^a-zA-Z]/)
      const ids = [...html.matchAll(/\sid="([^"]+)"/g)].map(([, id]) => id)
      expect(ids).toEqual([...new Set(ids)])
    },
  )

  it('shows code as it is written, and languages as tabs that need no script', async () => {
    const { html } = await read('/docs/pagination')
    expect(html).toMatch(
      /<input type="radio" name="language-1" id="curl" checked><label for="curl">curl<\/label>/,
    )
    expect(html).toMatch(
      /<input type="radio" name="language-1" id="python"><label for="python">Python<\/label>/,
    )
    expect(html).toContain('<pre><code class="language-ts">const headers = { Authorization: ')
    expect(html).not.toMatch(/\son[a-z]+=/)
  })
})

describe('the tables from the contract', () => {
  const { document, propertiesOf } = contract

  it('name every CSV column in the order of the file', async () => {
    const { html } = await read('/docs/export')
    const columns = [...html.matchAll(/<tr>\s*<td><code>([a-z_]+)<\/code><\/td>/g)].map(
      ([, name]) => name,
    )
    expect(columns).toEqual(propertiesOf('Listing'))
  })

  it('name every field of every object, and lead from one to the other', async () => {
    const { html } = await read('/docs/data-dictionary')
    for (const name of [
      'Listing',
      'Comps',
      'Appraisal',
      'FlipFactors',
      'Sale',
      'Change',
      'LotMatched',
    ]) {
      expect(html).toContain(`<h2 id="${name.toLowerCase()}">${name}</h2>`)
      for (const field of propertiesOf(name)) expect(html).toContain(`<code>${field}</code>`)
    }
    expect(html).toContain('<a href="#appraisal">Appraisal</a> or null')
    expect(document.components?.schemas).toHaveProperty('Appraisal')
  })
})

describe('the loop of the guide to pagination', () => {
  testPrograms(
    ['curl', 'TypeScript', 'Python'],
    'reads every lot once',
    async () => (await read('/docs/pagination.md')).html,
    async (folder, code, language) => {
      const SURPLUS_KEY = await site.makeKey('free')
      const { child, written } = startProgram(folder, language, code, { SURPLUS_KEY })
      await once(child, 'close')
      expect(child.exitCode, written.err).toBe(0)
      const titles = written.out.match(/Desk \d+\./g) ?? []
      expect(new Set(titles).size).toBe(titles.length)
      expect(titles.length).toBe(60)
    },
  )
})
