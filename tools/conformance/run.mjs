// Runs the official conformance suite of the Model Context Protocol against the service on demo data, for both protocol
// eras, and holds what it finds against expectations.yaml, both ways: what must pass, and what fails for a stated reason.
// With --control it also runs against a server that answers 500 to everything: what passes there proves nothing.
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { createServer, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parse } from 'yaml'

const here = path => fileURLToPath(new URL(path, import.meta.url))
const SURPLUS = here('../../dist/src/main.js')
const SUITE = here('node_modules/@modelcontextprotocol/conformance/dist/index.js')
const DEMO = ['--lots', '300', '--sales', '600', '--seed', '1']
const PLENTY = '1000000'
const isControlled = process.argv.includes('--control')

const newerNode = here(`../node24/node_modules/node-linux-${process.arch}/bin/node`)
if (!existsSync(newerNode)) {
  console.error(
    'The conformance suite needs a newer Node, which its npm packages bring for Linux only. Run it there.',
  )
  process.exit(1)
}
const folder = mkdtempSync(join(tmpdir(), 'surplus-conformance-'))
const { DATABASE_URL: _somebodys, ...surroundings } = process.env
const env = {
  ...surroundings,
  SURPLUS_DATA_DIR: folder,
  PORT: String(await freePort()),
  LOG_LEVEL: 'error',
}
const closing = [() => rmSync(folder, { recursive: true, force: true })]
try {
  const faults = judge(
    parse(readFileSync(here('expectations.yaml'), 'utf8')),
    await run(await serve()),
  )
  for (const fault of faults) console.error(fault)
  if (faults.length > 0) {
    console.error(
      'Mend the service, or say in tools/conformance/expectations.yaml what is so now, and why.',
    )
    process.exitCode = 1
  }
} finally {
  for (const close of closing.reverse()) await close()
}

/** Starts the service on demo data, and a door before it that adds a key, which the suite cannot send. Returns its address. */
async function serve() {
  const surplus = (...args) =>
    execFileSync(process.execPath, [SURPLUS, ...args], {
      env,
      stdio: ['ignore', 'pipe', 'inherit'],
    })
  const service = spawn(process.execPath, [SURPLUS, 'serve', '--json'], {
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const gone = once(service, 'exit')
  closing.push(async () => {
    service.kill('SIGTERM')
    await gone
  })
  await Promise.race([
    once(service.stdout, 'data'),
    gone.then(() => {
      throw new Error('The service did not start.')
    }),
  ])
  surplus('demo', ...DEMO)
  const made = surplus(
    'keys',
    'create',
    '--plan',
    'enterprise',
    '--monthly',
    PLENTY,
    '--per-minute',
    PLENTY,
    '--json',
  )
  const authorization = `Bearer ${JSON.parse(made.toString()).key}`
  return listen((req, res) => {
    const options = {
      port: env.PORT,
      method: req.method,
      path: req.url,
      headers: { ...req.headers, authorization },
    }
    const forwarded = request(options, answer => {
      res.writeHead(answer.statusCode, answer.headers)
      answer.pipe(res)
    })
    forwarded.once('error', () => res.destroy())
    req.pipe(forwarded)
  })
}

/** What the suite finds: revision → scenario → `{ ours, theirs }`, the checks against the service and, on demand, the 500. */
async function run(service) {
  const broken = await listen((_req, res) =>
    res.writeHead(500, { 'content-type': 'application/json' }).end('{}'),
  )
  const found = {}
  for (const file of readdirSync(
    here('node_modules/@modelcontextprotocol/conformance/requirements'),
  )) {
    const revision = file.replace('.yaml', '')
    const ours = await runSuite(revision, service, 'ours', 20_000)
    const theirs = isControlled ? await runSuite(revision, broken, 'theirs', 2_000) : {}
    const both = Object.entries(ours).map(([scenario, checks]) => [
      scenario,
      { ours: checks, theirs: theirs[scenario] },
    ])
    found[revision] = Object.fromEntries(both)
  }
  return found
}

/** scenario → its checks. The exit code of the suite says only that some scenario fails, which it always does here. */
async function runSuite(revision, address, name, timeoutMs) {
  const results = join(folder, 'results', revision, name)
  mkdirSync(results, { recursive: true })
  const args = [
    SUITE,
    'server',
    '--url',
    `${address}/api/v1/mcp`,
    '--requirements',
    revision,
    '--output-dir',
    results,
  ]
  args.push('--timeout', String(timeoutMs))
  await once(spawn(newerNode, args, { stdio: 'ignore' }), 'exit')
  const scenarios = readdirSync(results).map(one => [
    /^server-(.*?)-\d{4}-\d\d-\d\dT/.exec(one)[1],
    checksIn(join(results, one, 'checks.json')),
  ])
  return Object.fromEntries(scenarios)
}

/** A scenario that ran out of time writes none. */
function checksIn(file) {
  return existsSync(file)
    ? JSON.parse(readFileSync(file, 'utf8'))
    : [{ id: 'timeout', status: 'FAILURE' }]
}

/** What is otherwise than expected, as sentences; prints a line for each scenario. */
function judge(expectations, found) {
  return Object.entries(found).flatMap(([revision, scenarios]) => {
    const {
      green = {},
      partly = {},
      failing = [],
      proves_nothing = [],
    } = expectations[revision] ?? {}
    const passing = { ...green, ...partly }
    const failingNames = failing.flatMap(({ scenarios }) => scenarios)
    const listed = [
      ...Object.keys(green),
      ...Object.keys(partly),
      ...failingNames,
      ...proves_nothing,
    ]
    const unknown = listed
      .filter(name => !(name in scenarios))
      .map(name => [name, ['the suite has no such scenario.']])
    const judged = Object.entries(scenarios).map(([name, { ours, theirs }]) => {
      const seen = { failed: failed(ours), passes: passed(ours), broken: theirs && passed(theirs) }
      console.log(
        `${revision} ${name}: ${seen.passes} passed; not passed: ${seen.failed.join(', ') || 'none'}`,
      )
      if (listed.filter(one => one === name).length !== 1)
        return [name, ['must stand in exactly one list.']]
      if (name in passing) return [name, faultsOfPassing(seen, passing[name])]
      if (failingNames.includes(name))
        return [name, seen.failed.length > 0 ? [] : ['passes now: move it to "green".']]
      const proves = seen.failed.length > 0 || (theirs && seen.passes > seen.broken)
      return [name, proves ? ['stands under "proves_nothing", and proves something.'] : []]
    })
    return [...unknown, ...judged].flatMap(([name, faults]) =>
      faults.map(fault => `${revision} ${name}: ${fault}`),
    )
  })
}

function faultsOfPassing(seen, { passes, broken, fails = [] }) {
  const faults = []
  if (seen.failed.join() !== fails.toSorted().join())
    faults.push(
      `these checks must fail: ${fails.join(', ') || 'none'}; these do: ${seen.failed.join(', ') || 'none'}.`,
    )
  if (seen.passes !== passes) faults.push(`${passes} checks must pass; ${seen.passes} do.`)
  if (passes <= broken) faults.push('a broken server passes as much: move it to "proves_nothing".')
  if (seen.broken !== undefined && seen.broken !== broken)
    faults.push(`a broken server is said to pass ${broken} checks; it passes ${seen.broken}.`)
  return faults
}

function passed(checks) {
  return checks.filter(({ status }) => status === 'SUCCESS').length
}

/** The ids of the checks that did not pass, each once. A warning is no pass: it says what the protocol would rather have. */
function failed(checks) {
  const ids = checks
    .filter(({ status }) => status === 'FAILURE' || status === 'WARNING')
    .map(({ id }) => id)
  return [...new Set(ids)].sort()
}

async function listen(answer) {
  const server = createServer(answer).listen(0, '127.0.0.1')
  await once(server, 'listening')
  closing.push(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://localhost:${server.address().port}`
}

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address()
  server.close()
  return port
}
