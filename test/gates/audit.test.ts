import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { projectFile } from '../../src/contract/projectFile.ts'

const advisory = (severity: string) => ({
  express: [
    {
      id: 1,
      url: 'https://github.com/advisories/GHSA-test',
      title: 'A hole',
      vulnerable_versions: '*',
      severity,
    },
  ],
})

/** Runs `make audit`'s script against a registry that answers with this status and these advisories. */
async function audit(status: number, advisories: object): Promise<{ code: number; printed: string }> {
  const cache = mkdtempSync(join(tmpdir(), 'surplus-npm-'))
  const registry = createServer((req, res) => {
    req.resume().once('end', () => {
      res.writeHead(req.method === 'POST' ? status : 404, { 'content-type': 'application/json' })
      res.end(JSON.stringify(req.method === 'POST' ? advisories : {}))
    })
  })
  registry.listen(0, '127.0.0.1')
  await once(registry, 'listening')
  const child = spawn(process.execPath, ['--import', 'tsx', projectFile('tools', 'audit.ts')], {
    env: {
      ...process.env,
      npm_config_registry: `http://127.0.0.1:${(registry.address() as AddressInfo).port}/`,
      npm_config_fetch_retries: '0',
      npm_config_cache: cache,
    },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let printed = ''
  child.stderr.setEncoding('utf8').on('data', text => {
    printed += text
  })
  const [code] = (await once(child, 'close')) as [number]
  registry.closeAllConnections()
  registry.close()
  rmSync(cache, { recursive: true })
  return { code, printed }
}

it.each([
  ['fails on a high vulnerability and names the package', 200, advisory('high'), 1, 'express: high'],
  ['passes with lesser vulnerabilities', 200, advisory('moderate'), 0, '0 high or critical, 4 lesser'],
  ['passes and prints NOT AUDITED where the registry does not answer', 405, {}, 0, 'NOT AUDITED'],
])('make audit %s', async (_title, status, advisories, code, sentence) => {
  expect(await audit(status, advisories)).toEqual({ code, printed: expect.stringContaining(sentence) })
})
