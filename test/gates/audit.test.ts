import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { projectFile } from '../../src/contract/projectFile.ts'

const ADVISORY = {
  id: 1,
  url: 'https://github.com/advisories/GHSA-test',
  title: 'A hole',
  vulnerable_versions: '*',
  cwe: [],
  cvss: { score: 9, vectorString: null },
}

/** Runs `make audit`'s script against a registry that answers the question about vulnerabilities like this. */
async function audit(
  status: number,
  advisories: object,
): Promise<{ code: number; said: string; asked: number }> {
  let asked = 0
  const cache = mkdtempSync(join(tmpdir(), 'surplus-npm-'))
  const registry = createServer((req, res) => {
    if (req.method === 'POST') asked++
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
      // npm remembers what it was told of an advisory.
      npm_config_cache: cache,
    },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let said = ''
  child.stderr.setEncoding('utf8').on('data', text => {
    said += text
  })
  const [code] = (await once(child, 'close')) as [number]
  registry.closeAllConnections()
  registry.close()
  rmSync(cache, { recursive: true })
  return { code, said, asked }
}

describe('make audit', () => {
  it.each(['high', 'critical'])(
    'fails on a package with a %s vulnerability, and names it',
    async severity => {
      const { code, said, asked } = await audit(200, { express: [{ ...ADVISORY, severity }] })
      expect([code, said], said).toEqual([1, expect.stringContaining(`express: ${severity}`)])
      expect(asked).toBeGreaterThan(0)
    },
  )

  it('passes where there are lesser ones, or none', async () => {
    // express, and those that depend on it.
    const lesser = await audit(200, { express: [{ ...ADVISORY, severity: 'moderate' }] })
    expect([lesser.code, lesser.said]).toEqual([0, expect.stringContaining('0 high or critical, 4 lesser')])
    const none = await audit(200, {})
    expect([none.code, none.said]).toEqual([0, expect.stringContaining('0 high or critical, 0 lesser')])
  })

  it('passes, and says loudly that nothing was audited, where the registry cannot be asked', async () => {
    const { code, said } = await audit(405, {})
    expect([code, said]).toEqual([0, expect.stringContaining('NOT AUDITED')])
  })
})
