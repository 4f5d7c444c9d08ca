import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { beforeAll, expect, it } from 'vitest'
import { NOW } from '../support/lots/fixtures.ts'
import { insertSearchWorld } from '../support/lots/searchWorld.ts'
import { temporaryFolder } from '../support/run/shared.ts'
import { serviceFor } from '../support/service/start.ts'
import { PUBLIC_URL } from '../support/service/testSettings.ts'
import { readPage, unescaped } from '../support/site/readPage.ts'

const api = serviceFor({ now: NOW })
const folder = temporaryFolder()
beforeAll(() => insertSearchWorld(api.sql))

it('the TypeScript of the five-minute start runs as it stands in the Node that it names, and claims no browser', async () => {
  const { html, words } = await readPage(`${api.address}/docs/quickstart`)
  const section = html.slice(html.indexOf('id="typescript"'), html.indexOf('id="python"'))
  const code = /<pre><code[^>]*>([\s\S]*?)<\/code>/.exec(section)![1]!
  const plain = unescaped(code.replace(/<[^>]*>/g, ''))
  const file = join(folder, 'lots.mjs')
  await writeFile(
    file,
    plain.replace(PUBLIC_URL, api.address).replace('q=truck&state=TX', 'q=ford'),
  )
  const env = { ...process.env, SURPLUS_KEY: await api.makeKey('free') }
  const { stdout } = await promisify(execFile)(process.execPath, [file], { env })
  expect(stdout).toMatch(/\/listings\//)
  expect(words).not.toMatch(/Bun or a browser/)
})
