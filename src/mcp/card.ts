import { readFileSync } from 'node:fs'
import { projectFile } from '../contract/projectFile.ts'
import { isObject } from '../domain/feeds/cells.ts'

/**
 * The page that hosts of MCP Apps (2026-01-26) show the lots of an answer with.
 */
const CARD_URI = 'ui://surplus/card'

/**
 * What a tool says of it; hosts before the release of the extension read the
 * second key.
 */
export const CARD_META = {
  ui: { resourceUri: CARD_URI },
  'ui/resourceUri': CARD_URI,
}

/** Whether a message reads the card, which is free. */
export function readsCard(message: unknown) {
  return (
    isObject(message) &&
    message.method === 'resources/read' &&
    isObject(message.params) &&
    message.params.uri === CARD_URI
  )
}

/**
 * The card as a resource: one page that reaches no other host, with the
 * drawings of the site.
 */
export function createCard() {
  const [page, icons] = ['card.html', 'icons.svg'].map(name =>
    readFileSync(projectFile('assets', name), 'utf8'),
  )
  const text = page!.replace('{icons}', () => icons!)
  return {
    uri: CARD_URI,
    mimeType: 'text/html;profile=mcp-app',
    text,
    _meta: { ui: { prefersBorder: false } },
  }
}
