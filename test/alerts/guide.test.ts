import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Webhook } from 'standardwebhooks'
import { beforeAll, describe, expect, it } from 'vitest'
import { PLAN_IDS, PLANS } from '../../src/contract/plans.ts'
import { projectFile } from '../../src/contract/projectFile.ts'
import { newSigningSecret } from '../../src/domain/alerts/webhooks.ts'
import { freePort } from '../../src/infra/embedded/launch.ts'
import { startAlertWorld } from '../support/alerts/alertWorld.ts'
import { deliverAt } from '../support/alerts/deliverer.ts'
import { startReceiver } from '../support/alerts/receiver.ts'
import { startProgram, testPrograms } from '../support/run/guidePrograms.ts'
import { shared } from '../support/run/shared.ts'
import { serviceFor } from '../support/service/start.ts'
import { PUBLIC_URL } from '../support/service/testSettings.ts'
import { readPage } from '../support/site/readPage.ts'

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
const guide = readFileSync(projectFile('docs/guides/webhooks.md'), 'utf8')

interface Message {
  headers: Record<string, string>
  body: string
}

describe('the guides to alerts and webhooks', () => {
  const world = shared(startAlertWorld)
  const api = serviceFor()
  const receiver = shared(startReceiver)
  let secret: string
  let sent: Message

  beforeAll(async () => {
    const accountId = await world.makeAccount()
    const endpoint = await world.makeEndpoint(accountId, receiver.url)
    secret = endpoint.secret
    const lotId = await world.makeLot({ title: 'Truck of the guide, 3/4 “ton” Ä' })
    await world.makeDelivery(await world.makeSearch(accountId), lotId, endpoint.id)
    await deliverAt(world.sql, new Date())
    sent = receiver.received[0]!
  })

  it('are pages with the limits of each plan and the example of the contract', async () => {
    const { status, html, words } = await readPage(`${api.address}/docs/alerts`)
    expect(status).toBe(200)
    for (const { name, alerts } of PLAN_IDS.map(plan => PLANS[plan])) {
      const mail = alerts.isInstant ? 'instantly, daily or weekly' : 'daily or weekly'
      expect(words).toContain(`${name} ${alerts.searches} ${mail} ${alerts.endpoints}`)
    }
    const { words: webhooks } = await readPage(`${api.address}/docs/webhooks`)
    expect(webhooks).toMatch(/"type" ?: ?"lot\.matched"/)
    expect(html).toContain(`${PUBLIC_URL}/account/alerts/new?category=vehicles`)
  })

  testPrograms(
    ['TypeScript', 'Python'],
    'has a receiver that takes what the reference library takes, once, and nothing else',
    () => guide,
    async (folder, code, language) => {
      const port = await freePort()
      const isHandler = language === 'TypeScript'
      if (isHandler) writeFileSync(join(folder, 'receiver.mts'), code)
      const program = (isHandler ? SERVE_HANDLER : code).replace('8000', String(port))
      const { written, stop } = startProgram(folder, language, program, { WEBHOOK_SECRET: secret })
      const post = async ({ headers: sent, body }: Message): Promise<number> => {
        const { host: _, connection: __, 'content-length': ___, ...headers } = sent
        return (await fetch(`http://127.0.0.1:${port}/hook`, { method: 'POST', headers, body }))
          .status
      }
      try {
        await expect.poll(() => post(unsigned()).catch(() => written.err)).toBe(401)
        for (const [name, message] of Object.entries(messages())) {
          const expected = isAccepted(message) ? 204 : 401
          expect([name, await post(message)]).toEqual([name, expected])
        }
        // The message itself, three times; and two that have ids of their own.
        const lines = written.out.trim().split('\n')
        expect(lines, written.err).toHaveLength(3)
        for (const line of lines)
          expect(line).toMatch(/^Trucks price_drop Truck of the guide, 3\/4 “ton” Ä http/)
      } finally {
        await stop()
      }
    },
  )

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
    const change = (changed: Record<string, string>) => ({
      headers: { ...headers, ...changed },
      body,
    })
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
