// Measures tools/call beside the same REST call, in turns, by calls per second and by CPU time of the serving process
// (Linux: /proc). Prints a table.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import autocannon from 'autocannon'
import { projectFile } from '../src/contract/projectFile.ts'

const ROUNDS = 3
const SECONDS = 4
const CONNECTIONS = 16
const ADDRESS = 'http://127.0.0.1:18082'
const TICK_MS = 10
const MAIN = projectFile('dist', 'src', 'main.js')

const dataFolder = mkdtempSync(join(tmpdir(), 'surplus-bench-mcp-'))
const env = {
  ...process.env,
  DATABASE_URL: '',
  SURPLUS_DATA_DIR: dataFolder,
  PORT: '18082',
  LOG_LEVEL: 'warn',
}
const run = (...args: string[]) => execFileSync(process.execPath, [MAIN, ...args], { env }).toString()

let service: ChildProcess | undefined
try {
  run('demo', '--lots', '5000', '--sales', '10000', '--seed', '1')
  const limits = ['--monthly', '1000000000', '--per-minute', '1000000000']
  const { key } = JSON.parse(run('keys', 'create', '--plan', 'enterprise', ...limits, '--json'))
  service = spawn(process.execPath, [MAIN, 'serve'], { env, stdio: ['ignore', 'pipe', 'inherit'] })
  await once(service.stdout!, 'data')
  await measure({ authorization: `Bearer ${key}` }, service.pid!)
} finally {
  if (service) {
    service.kill('SIGTERM')
    await once(service, 'exit')
  }
  rmSync(dataFolder, { recursive: true, force: true })
}

async function measure(headers: Record<string, string>, pid: number): Promise<void> {
  const rest = '/api/v1/listings?category=vehicles&state=TX&per_page=10'
  const found = (await (await fetch(ADDRESS + rest, { headers })).json()) as { data: { id: string }[] }
  const id = found.data[0]!.id
  const shapes = {
    search: { rest, tool: 'search_listings', sent: { category: 'vehicles', state: 'TX' } },
    listing: { rest: `/api/v1/listings/${id}`, tool: 'get_listing', sent: { id } },
  }
  console.log('| what | calls/s | CPU, ms a call | CPU of REST / CPU of it |\n|---|---|---|---|')
  for (const [name, { rest, tool, sent }] of Object.entries(shapes)) {
    const ways: [string, autocannon.Options][] = [
      ['REST', { url: ADDRESS + rest, headers }],
      ['MCP 2025-11-25', toolCall(headers, tool, sent, false)],
      ['MCP 2026-07-28', toolCall(headers, tool, sent, true)],
    ]
    const results = ways.map(() => ({ calls: 0, cpuMs: 0 }))
    for (const [, options] of ways) await load(options, pid)
    for (let round = 0; round < ROUNDS; round++)
      for (const [index, [, options]] of ways.entries()) {
        const { calls, cpuMs } = await load(options, pid)
        results[index]!.calls += calls
        results[index]!.cpuMs += cpuMs
      }
    const perCall = results.map(({ calls, cpuMs }) => cpuMs / calls)
    ways.forEach(([way], index) => {
      const rate = (results[index]!.calls / ROUNDS / SECONDS).toFixed(0)
      const ratio = (perCall[0]! / perCall[index]!).toFixed(2)
      console.log(`| ${name}, ${way} | ${rate} | ${perCall[index]!.toFixed(3)} | ${ratio} |`)
    })
  }
}

function toolCall(
  headers: Record<string, string>,
  name: string,
  sent: object,
  isModern: boolean,
): autocannon.Options {
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientCapabilities': {},
  }
  const params = { name, arguments: sent, ...(isModern ? { _meta } : {}) }
  const modern = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/call', 'mcp-name': name }
  return {
    url: `${ADDRESS}/api/v1/mcp`,
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json', ...(isModern ? modern : {}) },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }),
  }
}

async function load(options: autocannon.Options, pid: number): Promise<{ calls: number; cpuMs: number }> {
  const before = cpuMsOf(pid)
  const result = await autocannon({ ...options, connections: CONNECTIONS, duration: SECONDS })
  if (result.non2xx > 0 || result.errors > 0)
    throw new Error(`${options.url}: ${result.non2xx} refusals, ${result.errors} errors`)
  return { calls: result.requests.total, cpuMs: cpuMsOf(pid) - before }
}

/** User and system time, fields 14 and 15 (proc(5)). */
function cpuMsOf(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /, '')
    .split(' ')
  return (Number(fields[11]) + Number(fields[12])) * TICK_MS
}
