import { readFileSync } from 'node:fs'
import guides from '../../../data/guides.json' with { type: 'json' }
import { projectFile } from '../../contract/projectFile.ts'
import { grouped } from '../../domain/grouped.ts'
import { html } from '../kit/html.ts'
import type { Page } from '../kit/layout.ts'
import { renderMarkdown } from './markdown.ts'

interface Guide {
  path: string
  /**
   * The file in `docs/`; null for the API reference, which is a page of its
   * own.
   */
  document: string | null
  /**
   * The file where this service has no address of agents, at which they sign
   * in.
   */
  document_without_sign_in?: string
  title: string
  summary: string
  /** The heading that it stands under in the navigation. */
  group: string
}

/**
 * The guides in reading order, for their navigation, the front page of the docs
 * and llms.txt.
 */
export const GUIDES: Guide[] = guides

const GROUPS = [...grouped(GUIDES, ({ group }) => group)]

/** A guide with its text in Markdown, its heading left out. */
export type GuideText = Guide & { heading: string; text: string }

/**
 * Reads the documents in `docs/`, our own text, with the tables of this
 * service.
 * @param values the Markdown of each `{placeholder}`.
 */
export function readGuides(values: Record<string, string>): GuideText[] {
  return GUIDES.flatMap(guide => {
    const file =
      (!values.agents_address && guide.document_without_sign_in) ||
      guide.document
    if (!file) return []
    const document = readTemplate(`docs/${file}`, values)
    const [, heading = '', text = ''] =
      /^# (.+)\n([\s\S]*)$/.exec(document) ?? []
    return { ...guide, heading, text: withSiteLinks(text) }
  })
}

export function guidePage(
  publicUrl: string,
  { path, summary, heading, text }: GuideText,
): Page {
  const link = (one: Guide) =>
    html`<li><a href="${one.path}"${one.path === path && html` aria-current="page"`}>${one.title}</a></li>`
  return {
    title: heading,
    content: html`${{ markup: renderMarkdown(text) }}<p class="quiet"><a href="${path}.md">This page as Markdown</a></p>`,
    section: '/docs',
    description: summary,
    canonical: path,
    head: html`<link rel="alternate" type="text/markdown" href="${publicUrl}${path}.md">`,
    aside: html`<nav class="guides" aria-label="Documentation"><details><summary>All guides</summary>
${GROUPS.map(
  ([group, guides]) => html`<p>${group}</p><ul>
${guides.map(link)}</ul>`,
)}</details></nav>`,
  }
}

/** A guide as a Markdown document. */
export function guideMarkdown({ heading, text }: GuideText): string {
  return `# ${heading}\n${text}`
}

/** All guides in one text, for language models. */
export function allGuides(publicUrl: string, texts: GuideText[]): string {
  return texts
    .map(
      guide => `<!-- ${publicUrl}${guide.path} -->\n\n${guideMarkdown(guide)}`,
    )
    .join('\n')
}

/** The front page of the docs. */
export function docsPage(): Page {
  const card = ({ path, title, summary }: Guide) =>
    html`<li><h3><a href="${path}">${title}</a></h3><p>${summary}</p></li>`
  return {
    title: 'Documentation',
    content: html`<p>A read-only JSON API over live government surplus auctions. The contract is <a href="/openapi.yaml">openapi.yaml</a> (OpenAPI 3.1), also
as <a href="/openapi.json">JSON</a> and as a derived <a href="/openapi-3.0.json">3.0.3 version</a> for older generators.</p>
${GROUPS.map(
  ([group, guides]) => html`<h2>${group}</h2><ul class="cards">
${guides.map(card)}</ul>`,
)}
<p class="quiet">Every guide is also Markdown: add <code>.md</code> to its address. All in one file: <a href="/llms-full.txt">llms-full.txt</a>.</p>`,
    section: '/docs',
    description:
      'Guides and reference of the Government Surplus Auction Data API.',
    canonical: '/docs',
  }
}

/**
 * Links to documents that are guides lead to their pages; links to other files
 * become plain words.
 */
function withSiteLinks(text: string) {
  return text.replace(
    /\[([^\]]+)\]\(([^)\s]+)\)/g,
    (_, words: string, target: string) => {
      const address = addressOf(target)
      return address === null ? words : `[${words}](${address})`
    },
  )
}

/**
 * The address of a link's target on the site; null for a file that is not a
 * page.
 */
function addressOf(href: string) {
  if (/^([a-z]+:|#|\/)/.test(href)) return href
  const [file = '', anchor] = href.split('#')
  const guide = GUIDES.find(
    ({ document }) => document === file.replace(/^(\.\/|docs\/)/, ''),
  )
  if (!guide) return null
  return anchor ? `${guide.path}#${anchor}` : guide.path
}

/**
 * A text of this project with its `{placeholders}` filled in.
 * @param file from the root of the project.
 * @throws Error for a placeholder without a value.
 */
export function readTemplate(
  file: string,
  values: Record<string, string>,
): string {
  return readFileSync(projectFile(file), 'utf8').replace(
    /\{([a-z_]+)\}/g,
    (_, name: string) => {
      const value = values[name]
      if (value === undefined)
        throw new Error(`${file}: there is no value for {${name}}.`)
      return value
    },
  )
}
