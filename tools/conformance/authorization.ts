// Runs the authorization scenarios of the official conformance suite of the Model Context Protocol against the sign-in of agents, and
// gives the consent that it waits for as a person would: with an account, on the page for consent. Every check must pass.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { projectFile } from '../../src/contract/projectFile.ts'
import { freePort } from '../../src/infra/embedded/launch.ts'
import { allow, handMadeClient } from '../../test/support/mcp/agentClients.ts'
import { FormBrowser } from '../../test/support/site/formBrowser.ts'

const SUITE = projectFile(
  'tools/conformance/node_modules/@modelcontextprotocol/conformance/dist/index.js',
)
const NEWER_NODE = projectFile(`tools/node24/node_modules/node-linux-${process.arch}/bin/node`)
const SCENARIOS = ['authorization-server-metadata-endpoint', 'authorization-code-grant']

if (!existsSync(NEWER_NODE)) throw new Error('The conformance suite needs a newer Node (Linux).')
const folder = mkdtempSync(join(tmpdir(), 'surplus-authorization-'))
const port = await freePort()
const [publicUrl, agentsUrl] = [`http://127.0.0.1:${port}`, `http://localhost:${port}`]
const { DATABASE_URL: _somebodys, ...surroundings } = process.env
const service = spawn(process.execPath, [projectFile('dist/src/main.js'), 'serve', '--json'], {
  env: {
    ...surroundings,
    SURPLUS_DATA_DIR: folder,
    PORT: String(port),
    PUBLIC_URL: publicUrl,
    AGENTS_URL: agentsUrl,
  },
  stdio: ['ignore', 'pipe', 'pipe'],
})
try {
  const links = linesWith(service, /\/account\/sign-in\/link\S*?(?=["\s])/)
  await untilReady()
  const browser = new FormBrowser(publicUrl, publicUrl)
  await browser.submit('/account/sign-in', { address: 'owner@example.com' })
  const { action, fields } = (await browser.open(await links)).form('/account/sign-in/link')
  await browser.submit(action, fields)
  await judge(await runSuite(browser))
} finally {
  service.kill('SIGTERM')
  await once(service, 'exit')
  rmSync(folder, { recursive: true, force: true })
}

async function untilReady() {
  for (;;) {
    const answer = await fetch(`${publicUrl}/readyz`).catch(() => null)
    if (answer?.ok) return
    if (service.exitCode !== null) throw new Error('The service did not start.')
    await new Promise(resolve => setTimeout(resolve, 200))
  }
}

/** The first match in what a process prints. */
function linesWith(child: ChildProcess, pattern: RegExp): Promise<string> {
  return new Promise(resolve => {
    for (const stream of [child.stdout!, child.stderr!])
      createInterface(stream).on('line', line => {
        const found = pattern.exec(line)?.[0]
        if (found) resolve(found)
      })
  })
}

/** Runs the suite, and consents where it asks for it. @returns the folder of its results. */
async function runSuite(browser: FormBrowser) {
  const callbackPort = await freePort()
  const redirect_uris = [`http://127.0.0.1:${callbackPort}/callback`]
  const { client_id = '' } = (await handMadeClient(agentsUrl).register({ redirect_uris })).body
  const results = join(folder, 'results')
  const sent = ['--url', agentsUrl, '--client-id', client_id, '--port', String(callbackPort)]
  const args = ['authorization', ...sent, '--resource', `${agentsUrl}/mcp`, '--output-dir', results]
  const suite = spawn(NEWER_NODE, [SUITE, ...args], { stdio: ['ignore', 'pipe', 'pipe'] })
  const ended = once(suite, 'exit')
  const authorize = await Promise.race([
    linesWith(suite, /http\S+\/authorize\?\S+/),
    ended.then(() => null),
  ])
  if (authorize) await fetch(await allow(browser, authorize))
  await ended
  return results
}

async function judge(results: string) {
  const found = readdirSync(results)
  for (const scenario of SCENARIOS) {
    const of = found.find(name => name.includes(scenario))
    const file = of && join(results, of, 'checks.json')
    const checks: { id: string; status: string; errorMessage?: string }[] =
      file && existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : []
    const faults = checks.filter(({ status }) => status !== 'SUCCESS')
    console.log(
      `authorization ${scenario}: ${checks.length - faults.length} of ${checks.length} passed`,
    )
    for (const { id, status, errorMessage } of faults)
      console.error(`${id}: ${status} ${errorMessage}`)
    if (faults.length > 0 || checks.length === 0) process.exitCode = 1
  }
  if (found.length !== SCENARIOS.length) {
    console.error(`The suite has other scenarios now: ${found.join(', ')}`)
    process.exitCode = 1
  }
}
