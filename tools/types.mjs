// Derives generated/openapi.ts from openapi.yaml, or with --check fails when it is stale. The command of openapi-typescript leaves out
// examples that stand in components/examples, so the only example of a body is put in its place first.
import { readFileSync, writeFileSync } from 'node:fs'
import openapiTS, { astToString, COMMENT_HEADER } from 'openapi-typescript'
import { parse } from 'yaml'

const target = new URL('../generated/openapi.ts', import.meta.url)
const contract = readFileSync(new URL('../openapi.yaml', import.meta.url), 'utf8')
const text = `${COMMENT_HEADER}${astToString(await openapiTS(inPlace(parse(contract))))}`
if (!process.argv.includes('--check')) {
  writeFileSync(target, text)
} else if (readFileSync(target, 'utf8') !== text) {
  console.error('generated/openapi.ts is stale. Run: make generate')
  process.exitCode = 1
}

function inPlace(document) {
  const visit = node => {
    if (node === null || typeof node !== 'object') return
    const [alone, ...others] = Object.values(node.examples ?? {})
    const name = alone?.$ref?.split('/').at(-1)
    if (name && others.length === 0) {
      node.example = document.components.examples[name].value
      delete node.examples
    }
    Object.values(node).forEach(visit)
  }
  visit(document.paths)
  visit(document.webhooks)
  return document
}
