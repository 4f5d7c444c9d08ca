import { setTimeout as wait } from 'node:timers/promises'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { insertLots } from '../support/lots/fixtures.ts'
import { processFor } from '../support/service/processes.ts'
import { serviceFor } from '../support/service/start.ts'

/** Writes into the log of a process which modules it loads after a signal. */
const WATCH = `
  import Module from 'node:module'
  let isWatched = false
  process.on('SIGUSR2', () => { isWatched = true; console.error('WATCHED') })
  for (const [ending, load] of Object.entries(Module._extensions))
    Module._extensions[ending] = (module, file) => {
      if (isWatched) console.error('LOADED', file)
      return load(module, file)
    }`

const api = serviceFor()
beforeAll(
  () =>
    void vi.stubEnv('NODE_OPTIONS', `--import data:text/javascript,${encodeURIComponent(WATCH)}`),
)
const server = processFor(api)
afterAll(() => void vi.unstubAllEnvs())

it('what answers is loaded at the start, so that an update of the packages beside it changes nothing', async () => {
  await insertLots(api.sql, [{ slug: 'truck' }])
  process.kill(server.pid, 'SIGUSR2')
  await vi.waitUntil(() => server.log().includes('WATCHED'))
  const form = {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded', origin: server.address },
    body: 'a=1',
  }
  for (const path of ['/', '/docs/errors', '/listings/truck', '/share.png', '/pricing', '/data'])
    await (await fetch(server.address + path)).arrayBuffer()
  await (await fetch(`${server.address}/account/sign-in`, form)).arrayBuffer()
  const mcp = {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{"jsonrpc":"2.0","id":1,"method":"ping"}',
  }
  await (await fetch(`${server.address}/api/v1/mcp`, mcp)).arrayBuffer()
  await wait(100)
  expect(server.log()).not.toContain('LOADED')
})
