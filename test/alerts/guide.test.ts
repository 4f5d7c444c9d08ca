import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Webhook } from 'standardwebhooks'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { PLAN_IDS, PLANS } from '../../src/contract/plans.ts'
import { projectFile } from '../../src/contract/projectFile.ts'
import { newSigningSecret } from '../../src/domain/alerts/webhooks.ts'
import { freePort } from '../../src/infra/embedded/launch.ts'
import { startAlertWorld } from '../support/alerts/alertWorld.ts'
import { deliverAt } from '../support/alerts/deliverer.ts'
import { OK, type Receiver, startReceiver } from '../support/alerts/receiver.ts'
import { shared } from '../support/run/shared.ts'
import { serviceFor } from '../support/service/start.ts'
import { PUBLIC_URL } from '../support/service/testSettings.ts'
import { readPage } from '../support/site/readPage.ts'

const TSX = projectFile('node_modules/tsx/dist/loader.mjs')
/** What the platform around a fetch handler does. */
const SERVE_HANDLER = `
import { createServer } from 'node:http'
import { receive } from './receiver.mts'
createServer(async (req, res) => {
  const body = Buffer.concat(await req.toArray())
  const request = new Request('http://receiver' + req.url, { method: 'POST', headers: req.headers, body })
  res.writeHead((await receive(request)).status).end()
}).listen(8000, '127.0.0.1')
`
const PROGRAMS = [
  {
    heading: 'TypeScript',
    needs: 'node',
    files: (code: string) => ({ 'receiver.mts': code, 'serve.mts': SERVE_HANDLER }),
    run: [process.execPath, '--import', TSX, 'serve.mts'],
  },
  {
    heading: 'Python',
    needs: 'python3',
    files: (code: string) => ({ 'receiver.py': code }),
    run: ['python3', 'receiver.py'],
  },
]
const guide = readFileSync(projectFile('docs/guides/webhooks.md'), 'utf8')

interface Message {
  headers: Record<string, string>
  body: string
}

describe('the guides to alerts and webhooks', () => {
  const world = shared(startAlertWorld, world => world.end())
  const api = serviceFor()
  let receiver: Receiver
  let secret: string
  let sent: Message

  beforeAll(async () => {
    receiver = await startReceiver(OK)
    const accountId = await world.makeAccount()
    const endpoint = await world.makeEndpoint(accountId, receiver.url)
    secret = endpoint.secret
    const lotId = await world.makeLot({ title: 'Truck of the guide, 3/4 “ton” Ä' })
    await world.makeDelivery(await world.makeSearch(accountId), lotId, endpoint.id)
    await deliverAt(world.sql, new Date())
    sent = receiver.received[0]!
  })
  afterAll(() => receiver?.end())

  it('are pages with the limits of each plan and the example of the contract', async () => {
    const { status, html, words } = await readPage(`${api.address}/docs/alerts`)
    expect(status).toBe(200)
    for (const { name, alerts } of PLAN_IDS.map(plan => PLANS[plan])) {
      const mail = alerts.isInstant ? 'at once, daily or weekly' : 'daily or weekly'
      expect(words).toContain(`${name} ${alerts.searches} ${mail} ${alerts.endpoints}`)
    }
    const { words: webhooks } = await readPage(`${api.address}/docs/webhooks`)
    expect(webhooks).toMatch(/"type" ?: ?"lot\.matched"/)
    expect(html).toContain(`${PUBLIC_URL}/account/alerts/new?category=vehicles`)
  })

  for (const { heading, needs, files, run } of PROGRAMS) {
    const isMissing = spawnSync(needs, ['--version']).status !== 0
    if (isMissing)
      console.error(`NOTE: ${needs} is not installed, so the ${heading} receiver of the guide IS SKIPPED.`)

    it.skipIf(isMissing)(
      `has a receiver in ${heading} that takes what the reference library takes, once, and nothing else`,
      async () => {
        const folder = mkdtempSync(join(tmpdir(), 'alerts-'))
        const code = new RegExp(`### ${heading} [^\\n]*\\n[^#]*?\`\`\`\\w*\\n([\\s\\S]*?)\`\`\``).exec(
          guide,
        )?.[1]
        const port = await freePort()
        for (const [file, text] of Object.entries(files(code!)))
          writeFileSync(join(folder, file), text.replace('8000', String(port)))
        const [program = '', ...args] = run
        const env = { ...process.env, WEBHOOK_SECRET: secret }
        const child = spawn(program, args, { cwd: folder, env })
        let printed = ''
        let faults = ''
        child.stdout.on('data', data => (printed += data))
        child.stderr.on('data', data => (faults += data))
        const post = async ({ headers, body }: Message): Promise<number> => {
          const { host: _, connection: __, 'content-length': ___, ...kept } = headers
          const response = await fetch(`http://127.0.0.1:${port}/hook`, {
            method: 'POST',
            headers: kept,
            body,
          })
          return response.status
        }
        try {
          await expect.poll(() => post(unsigned()).catch(() => faults), { timeout: 100_000 }).toBe(401)
          for (const [name, message] of Object.entries(messages())) {
            const expected = isAccepted(message) ? 204 : 401
            expect([name, await post(message)]).toEqual([name, expected])
          }
          const lines = printed.trim().split('\n')
          // The message itself, three times; and two that have ids of their own.
          expect(lines, faults).toHaveLength(3)
          for (const line of lines)
            expect(line).toMatch(/^Trucks price_drop Truck of the guide, 3\/4 “ton” Ä http/)
        } finally {
          await stop(child)
          rmSync(folder, { recursive: true })
        }
      },
      120_000,
    )
  }

  function isAccepted({ headers, body }: Message): boolean {
    try {
      new Webhook(secret).verify(body, headers)
      return true
    } catch {
      return false
    }
  }

  function unsigned(): Message {
    return { headers: { 'content-type': 'application/json' }, body: '{}' }
  }

  /** The message that was sent, then as others would send it. */
  function messages(): Record<string, Message> {
    const { headers, body } = sent
    const signedAt = (secondsAgo: number, by = secret, id = `msg_${secondsAgo}`): Message => {
      const at = new Date(Date.now() - secondsAgo * 1_000)
      const signature = new Webhook(by).sign(id, at, body)
      return {
        headers: {
          'webhook-id': id,
          'webhook-timestamp': String(Math.floor(at.getTime() / 1_000)),
          'webhook-signature': signature,
        },
        body,
      }
    }
    const other = signedAt(1, newSigningSecret(), 'msg_other')
    const rotated = signedAt(2, secret, 'msg_rotated')
    const change = (changed: Record<string, string>) => ({ headers: { ...headers, ...changed }, body })
    const signature = headers['webhook-signature']!
    return {
      'as sent': sent,
      'the same again': sent,
      'signed a minute ago': signedAt(60),
      'with two signatures': {
        body,
        headers: {
          ...rotated.headers,
          'webhook-signature': `${other.headers['webhook-signature']} ${rotated.headers['webhook-signature']}`,
        },
      },
      'sent once more': sent,
      'with another body': { headers, body: `${body} ` },
      'with another id': change({ 'webhook-id': 'msg_1' }),
      'with another secret': other,
      'signed ten minutes ago': signedAt(600),
      'signed in ten minutes': signedAt(-600),
      'with a later timestamp': change({
        'webhook-timestamp': String(Number(headers['webhook-timestamp']) + 60),
      }),
      'with a timestamp that is no number': change({ 'webhook-timestamp': 'now' }),
      'of another version': change({ 'webhook-signature': signature.replace('v1', 'v2') }),
      'with a part of the signature': change({ 'webhook-signature': signature.slice(0, 20) }),
      'with an empty signature': change({ 'webhook-signature': 'v1,' }),
      'without a signature': unsigned(),
    }
  }
})

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return
  const gone = once(child, 'close')
  child.kill('SIGKILL')
  await gone
}
