import type { Contract } from '../../contract/document.ts'
import { html } from '../kit/html.ts'
import type { Page } from '../kit/layout.ts'
import { type GuideText, guideSearchForm } from './guides.ts'
import { readSections } from './markdown.ts'

const MOST_RESULTS = 20
const MOST_CHARACTERS = 100
const SNIPPET_CHARACTERS = 180

/** A section of a guide, or an operation; `words` are its title and text in lower case, which are compared. */
interface Section {
  address: string
  title: string
  text: string
  words: string
}

function allSections({ operations, document }: Contract, texts: GuideText[]): Section[] {
  const sections = texts.flatMap(({ path, title, heading, text }) =>
    readSections(text).map(section => {
      const address = section.id ? `${path}#${section.id}` : path
      return found(address, section.heading ? `${title}: ${section.heading}` : heading, section.text)
    }),
  )
  const calls = operations.map(({ method, path }) => {
    const { summary = '', description = '' } = document.paths?.[path]?.[method] ?? {}
    const text = `${method.toUpperCase()} ${path} ${description}`
    return found('/docs/reference', `API reference: ${summary}`, text)
  })
  return [...sections, ...calls]
}

/** The search in the guides and the operations: the page of results for some words. */
export function guideSearch(contract: Contract, texts: GuideText[]): (asked: string) => Page {
  let all: Section[] | undefined
  return asked => {
    // By the first search: to read all guides takes a sixth of a start.
    all ??= allSections(contract, texts)
    const words = asked.slice(0, MOST_CHARACTERS).toLowerCase().split(/\s+/).filter(Boolean)
    const hits = all.filter(one => words.every(word => one.words.includes(word)))
    const rank = ({ title }: Section) => words.filter(word => title.toLowerCase().includes(word)).length
    const best = hits.sort((a, b) => rank(b) - rank(a)).slice(0, MOST_RESULTS)
    return {
      title: 'Search the guides',
      content: html`${guideSearchForm(asked.slice(0, MOST_CHARACTERS))}
${
  best.length > 0
    ? html`<ul class="found">${best.map(
        one =>
          html`<li><a href="${one.address}">${one.title}</a><p>${snippet(one.text, words[0] ?? '')}</p></li>`,
      )}</ul>`
    : html`<p>No section has all of these words. Try fewer, or see <a href="/docs">all guides</a>.</p>`
}`,
      section: '/docs',
      unlisted: true,
      canonical: '/docs',
    }
  }
}

function found(address: string, title: string, text: string): Section {
  return { address, title, text, words: `${title} ${text}`.toLowerCase() }
}

function snippet(text: string, word: string) {
  const at = Math.max(0, text.toLowerCase().indexOf(word) - 60)
  const from = at === 0 ? 0 : text.indexOf(' ', at) + 1
  const until = from + SNIPPET_CHARACTERS
  return `${from > 0 ? '… ' : ''}${text.slice(from, until)}${until < text.length ? ' …' : ''}`.trim()
}
