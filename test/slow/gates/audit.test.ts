import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync } from 'node:fs'
import { expect, it } from 'vitest'
import { projectFile } from '../../../src/contract/projectFile.ts'
import { forOneTest, temporaryFolder } from '../../support/run/shared.ts'
import { json, startStandIn } from '../../support/standIns/standIn.ts'

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

const caches = temporaryFolder()

/**
 * Runs `make audit`'s script against a registry that answers with this status and these advisories.
 */
async function audit(
  status: number,
  advisories: object,
): Promise<{ code: number; printed: string }> {
  const registry = await forOneTest(
    startStandIn(({ method }) =>
      method === 'POST' ? json(advisories, { status }) : { status: 404 },
    ),
  )
  const child = spawn(process.execPath, ['--import', 'tsx', projectFile('tools', 'audit.ts')], {
    env: {
      ...process.env,
      npm_config_registry: `${registry.origin}/`,
      npm_config_fetch_retries: '0',
      npm_config_cache: mkdtempSync(`${caches}/`),
    },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let printed = ''
  child.stderr.setEncoding('utf8').on('data', text => {
    printed += text
  })
  const [code] = (await once(child, 'close')) as [number]
  return { code, printed }
}

it.each([
  [
    'fails on a high vulnerability and names the package',
    200,
    advisory('high'),
    1,
    'express: high',
  ],
  [
    'passes with lesser vulnerabilities',
    200,
    advisory('moderate'),
    0,
    '0 high or critical, 4 lesser',
  ],
  ['passes and prints NOT AUDITED where the registry does not answer', 405, {}, 0, 'NOT AUDITED'],
])('make audit %s', async (_title, status, advisories, code, sentence) => {
  expect(await audit(status, advisories)).toEqual({
    code,
    printed: expect.stringContaining(sentence),
  })
})
