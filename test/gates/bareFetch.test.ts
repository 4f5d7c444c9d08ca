import { readdirSync, readFileSync } from 'node:fs'
import ts from 'typescript'
import { describe, expect, it } from 'vitest'

/**
 * The one file that may use `fetch`, and the one that may open connections to addresses of
 * strangers.
 */
const GUARD = 'infra/fetching/fetchOnce.ts'
const CONNECTING = 'infra/alerts/webhookClient.ts'
const CLIENTS = ['node:http', 'node:https', 'node:http2', 'node:net', 'node:tls', 'undici']
const OPENERS = ['request', 'get', 'connect', 'createConnection', 'fetch', 'default', '*']

/**
 * Each place of a text that reaches for another host: `fetch`, as a call or a value, or a client of
 * Node.
 */
function reachesIn(text: string): string[] {
  const file = ts.createSourceFile('a.ts', text, ts.ScriptTarget.Latest, true)
  const found: string[] = []
  const visit = (node: ts.Node): void => {
    if (ts.isIdentifier(node) && node.text === 'fetch' && isTheGlobal(node)) found.push('fetch')
    if (ts.isImportDeclaration(node)) found.push(...openersOf(node))
    ts.forEachChild(node, visit)
  }
  visit(file)
  return found
}

/** Not the member of an object, unless that is the global one, and not a name that is declared. */
function isTheGlobal(node: ts.Identifier): boolean {
  const { parent } = node
  if (ts.isPropertyAccessExpression(parent) && parent.name === node)
    return ['globalThis', 'global'].includes(parent.expression.getText())
  return !(
    (ts.isPropertyAssignment(parent) || ts.isMethodDeclaration(parent)) &&
    parent.name === node
  )
}

/** What an import takes from a client of Node that opens connections; types do nothing. */
function openersOf({ importClause, moduleSpecifier }: ts.ImportDeclaration): string[] {
  const module = (moduleSpecifier as ts.StringLiteral).text
  if (!CLIENTS.includes(module) || !importClause || importClause.isTypeOnly) return []
  const bindings = importClause.namedBindings
  const named =
    bindings && ts.isNamedImports(bindings)
      ? bindings.elements.map(({ propertyName, name }) => (propertyName ?? name).text)
      : []
  const whole = bindings && ts.isNamespaceImport(bindings) ? ['*'] : []
  const names = [...named, ...whole, ...(importClause.name ? ['default'] : [])]
  return names.filter(name => OPENERS.includes(name)).map(name => `${name} of ${module}`)
}

describe('src', () => {
  it('fetches in one place, and opens connections to strangers in one', () => {
    const files = readdirSync('src', { recursive: true, encoding: 'utf8' }).filter(name =>
      name.endsWith('.ts'),
    )
    const found = files.flatMap(file =>
      reachesIn(readFileSync(`src/${file}`, 'utf8')).map(what => [file, what] as const),
    )
    expect(found.filter(([file]) => file !== GUARD && file !== CONNECTING)).toEqual([])
    // Both are found where they are.
    expect(found.filter(([file]) => file === GUARD)).toEqual([[GUARD, 'fetch']])
    expect(new Set(found.map(([file]) => file))).toEqual(new Set([GUARD, CONNECTING]))
  })

  it.each([
    ['await fetch(url)', ['fetch']],
    ['const get = fetch', ['fetch']],
    ['globalThis.fetch(url)', ['fetch']],
    ['new Client({ fetch })', ['fetch']],
    ['handler.fetch(request)', []],
    ['// fetch(url)\nconst text = "fetch(url)"', []],
    ["import { request as ask } from 'node:https'", ['request of node:https']],
    ["import http from 'node:http'", ['default of node:http']],
    ["import * as net from 'node:net'", ['* of node:net']],
    ["import type { request } from 'node:http'", []],
    ["import { createServer } from 'node:http'", []],
  ])('that has `%s` is found to reach for other hosts by %j', (text, reaches) => {
    expect(reachesIn(text)).toEqual(reaches)
  })
})
