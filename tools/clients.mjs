// Derives what people download from the contract: the TypeScript client, compiled and packed, and the Postman collection. With --check it
// fails when one is stale.
import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { gunzipSync } from 'node:zlib'
import postman from 'openapi-to-postmanv2'

const at = path => fileURLToPath(new URL(`../${path}`, import.meta.url))
/** An operation that refuses a call without parameters. */
const NEEDED = { getComps: 'category' }
/** Postman runs it after the first search. */
const KEEP_LISTING = {
  listen: 'test',
  script: {
    type: 'text/javascript',
    exec: [
      'const [lot] = pm.response.json().data',
      "if (lot) pm.collectionVariables.set('listingId', lot.id)",
    ],
  },
}
const isCheck = process.argv.includes('--check')

const stale = [
  derived('generated/downloads/surplus-auctions-client.tgz', packedClient(), gunzipSync),
  derived('generated/downloads/postman.json', await postmanCollection(), text => text),
].filter(Boolean)
for (const path of stale) console.error(`${path} is stale. Run: make clients`)
process.exitCode = stale.length > 0 ? 1 : 0

/** Writes a file, or with --check compares what it says. @returns its path where it is stale. */
function derived(path, bytes, read) {
  if (!isCheck) {
    mkdirSync(at('generated/downloads'), { recursive: true })
    writeFileSync(at(path), bytes)
    return null
  }
  return existsSync(at(path)) && read(readFileSync(at(path))).equals(read(bytes)) ? null : path
}

/** The package as `npm pack` makes it: the same bytes for the same files. */
function packedClient() {
  const folder = at('dist/client')
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  for (const name of ['index.ts', 'package.json', 'README.md'])
    cpSync(at(`clients/typescript/${name}`), `${folder}/${name}`)
  cpSync(at('generated/openapi.ts'), `${folder}/openapi.d.ts`)
  const compiling =
    '--declaration --strict --skipLibCheck --target es2022 --lib es2023,dom --module nodenext --moduleResolution nodenext'
  execFileSync(
    process.execPath,
    [at('node_modules/typescript/bin/tsc'), 'index.ts', ...compiling.split(' ')],
    {
      cwd: folder,
      stdio: ['ignore', 2, 2],
    },
  )
  const [packed] = JSON.parse(
    execFileSync('npm', ['pack', '--json', '--loglevel=error'], { cwd: folder, encoding: 'utf8' }),
  )
  return readFileSync(`${folder}/${packed.filename}`)
}

/**
 * Requests by tag, optional parameters off, the key as a variable. Ids and answers are left out, because both have random values; those of
 * parameters and bodies are the examples of the contract.
 */
async function postmanCollection() {
  const data = readFileSync(at('generated/openapi-3.0.json'), 'utf8')
  const contract = JSON.parse(data)
  const options = {
    folderStrategy: 'Tags',
    enableOptionalParameters: false,
    alwaysInheritAuthentication: true,
  }
  const { result, reason, output } = await promisify(postman.convertV2.bind(postman))(
    { type: 'string', data },
    options,
  )
  if (!result) throw new Error(`The contract became no Postman collection: ${reason}`)
  const collection = withoutRandom(output[0].data)
  collection.info.name = contract.info.title
  // The converter repeats the contact of the contract, which each service replaces.
  collection.info.description.content = collection.info.description.content.split('\n\n\nContact Support')[0]
  const items = collection.item.flatMap(({ item }) => item)
  for (const { request } of items) setExamples(request, contract)
  items.find(({ request }) => request.url.path.join('/') === 'api/v1/listings').event = [KEEP_LISTING]
  collection.auth = { type: 'bearer', bearer: [{ key: 'token', value: '{{apiKey}}', type: 'string' }] }
  collection.variable = [
    { key: 'baseUrl', value: 'https://surplus.example' },
    { key: 'listingId', value: '', description: 'Set by “Search live listings”.' },
    { key: 'apiKey', value: '', description: 'An API key; `make run` prints one for each plan.' },
  ]
  return Buffer.from(`${JSON.stringify(collection, null, 2)}\n`)
}

function setExamples({ method, url, body }, { paths, components }) {
  const operation = paths[`/${url.path.join('/').replace(/:(\w+)/g, '{$1}')}`][method.toLowerCase()]
  const parameters = (operation.parameters ?? []).map(
    ({ $ref }) => components.parameters[$ref.split('/').at(-1)],
  )
  for (const sent of [...url.query, ...url.variable]) {
    const { example } = parameters.find(({ name }) => name === sent.key)
    sent.value = sent.key === 'id' ? '{{listingId}}' : String(example)
    if (sent.key === NEEDED[operation.operationId]) sent.disabled = false
  }
  if (operation.requestBody)
    body.raw = JSON.stringify(operation.requestBody.content['application/json'].example)
}

function withoutRandom(value) {
  if (Array.isArray(value)) return value.map(withoutRandom)
  if (typeof value !== 'object' || value === null) return value
  const random = ['id', '_postman_id', 'response']
  const kept = Object.entries(value).filter(([name]) => !random.includes(name))
  return Object.fromEntries(kept.map(([name, one]) => [name, withoutRandom(one)]))
}
