import { createServer } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import { type AddressInfo, connect } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { createWebhookClient } from '../../src/infra/alerts/webhookClient.ts'
import { type Answering, type Receiver, startReceiver } from '../support/alerts/receiver.ts'
import { needs } from '../support/run/needs.ts'
import { newCertificate } from '../support/standIns/certificate.ts'

const ALLOWED = { allowedHosts: ['127.0.0.1'], proxy: null }
const STRICT = { allowedHosts: [], proxy: null }

let receivers: Receiver[] = []

async function receiving(answer?: Answering): Promise<Receiver> {
  const receiver = await startReceiver(answer)
  receivers.push(receiver)
  return receiver
}

afterEach(async () => {
  for (const receiver of receivers) await receiver.end()
  receivers = []
})

describe('a message is posted', () => {
  it('with its headers and body, and the answer is returned', async () => {
    const receiver = await receiving(response =>
      response.writeHead(202, { 'retry-after': '9' }).end('thank you'),
    )
    const answer = await createWebhookClient(ALLOWED).post(
      receiver.url,
      { 'webhook-id': 'msg_1' },
      '{"a":"ü"}',
    )
    expect(answer).toMatchObject({ status: 202, text: 'thank you', retryAfter: 9 })
    expect(receiver.received).toEqual([
      {
        path: '/hook',
        body: '{"a":"ü"}',
        headers: expect.objectContaining({
          'content-type': 'application/json',
          'content-length': '10',
          'webhook-id': 'msg_1',
        }),
      },
    ])
  })

  it('on a connection of its own each time', async () => {
    const receiver = await receiving()
    const client = createWebhookClient(ALLOWED)
    for (let call = 0; call < 3; call++) await client.post(receiver.url, {}, '{}')
    expect(receiver.connections()).toBe(3)
  })

  it('and a redirect is an answer that is not followed', async () => {
    const inside = await receiving()
    for (const location of [inside.url, 'http://169.254.169.254/latest/meta-data']) {
      const receiver = await receiving(response => response.writeHead(307, { location }).end())
      expect(await createWebhookClient(ALLOWED).post(receiver.url, {}, '{}')).toMatchObject({
        status: 307,
      })
      expect(receiver.received).toHaveLength(1)
    }
    expect(inside.connections()).toBe(0)
  })

  it('and of an endless answer at most a few kB are read and 1 kB is kept', async () => {
    let sent = 0
    const receiver = await receiving(response => {
      const piece = Buffer.alloc(16_384, 'a\0b')
      const more = () => {
        while (!response.destroyed && sent < 50_000_000) {
          sent += piece.length
          if (!response.write(piece)) return response.once('drain', more)
        }
      }
      response.writeHead(200)
      more()
    })
    const answer = await createWebhookClient(ALLOWED).post(receiver.url, {}, '{}')
    expect(answer.status).toBe(200)
    expect(answer.text).toMatch(/^(ab)+a?$/)
    expect(answer.text.length).toBeLessThanOrEqual(1_024)
    // What the buffers of both ends hold.
    expect(sent).toBeLessThan(25_000_000)
  })

  it.each<[string, Answering, object]>([
    [
      'never answers',
      () => {},
      { status: null, text: expect.stringMatching(/No answer within 0.4 s/) },
    ],
    [
      'sends half of its headers',
      (_, __, request) => request.socket.write('HTTP/1.1 200 OK\r\nA: '),
      { status: null },
    ],
    ['hangs up', (_, __, request) => request.socket.destroy(), { status: null }],
    [
      'speaks something else',
      (_, __, request) => request.socket.end('SSH-2.0-x\r\n\r\n'),
      { status: null },
    ],
    [
      'has endless headers',
      response => response.writeHead(200, { x: 'y'.repeat(60_000) }).end(),
      { status: null },
    ],
    [
      'switches protocols',
      (_, __, request) =>
        request.socket.write('HTTP/1.1 101 S\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n'),
      { status: null },
    ],
    ['drips its body', response => response.writeHead(200).write('a'), { status: 200, text: 'a' }],
    [
      'breaks its body off',
      (_, __, request) => request.socket.end('HTTP/1.1 500 X\r\nContent-Length: 9\r\n\r\nabc'),
      { status: 500, text: 'abc' },
    ],
  ])('to a receiver that %s, and the attempt ends by its deadline', async (_, answer, expected) => {
    const receiver = await receiving(answer)
    const client = createWebhookClient(ALLOWED, undefined, 400)
    expect(await client.post(receiver.url, {}, '{}')).toMatchObject(expected)
  })

  it('and a refused connection or an unknown name is a failure with its reason', async () => {
    const receiver = await receiving()
    const { url } = receiver
    await receiver.end()
    receivers = []
    const client = createWebhookClient(ALLOWED, () => Promise.reject(new Error('no such name')))
    expect(await client.post(url, {}, '{}')).toMatchObject({
      status: null,
      text: expect.stringMatching(/ECONNREFUSED/),
    })
    expect(await client.post('https://receiver.example/', {}, '{}')).toMatchObject({
      status: null,
      text: 'no such name',
    })
  })
})

/** Node 24 adds what the operator of a private authority can do. */
const SELF_SIGNED =
  /^self-signed certificate(?:; if the root CA is installed locally, try running Node\.js with --use-system-ca)?$/

describe('the certificate of a receiver', () => {
  const certificate = newCertificate()
  const options = needs(certificate, 'openssl (apt-get install openssl)')

  it('must be signed by an authority and for its name', options, async () => {
    let requests = 0
    const server = createSecureServer(certificate!, (_, response) => {
      requests++
      response.end()
    })
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
    const client = createWebhookClient({ allowedHosts: ['localhost'], proxy: null })
    const answer = await client.post(
      `https://localhost:${(server.address() as AddressInfo).port}/`,
      {},
      '{}',
    )
    expect(answer).toMatchObject({ status: null, text: expect.stringMatching(SELF_SIGNED) })
    expect(requests).toBe(0)
    await new Promise(resolve => server.close(resolve))
  })
})

describe('special addresses are never connected to', () => {
  const SPELLINGS =
    '127.0.0.1 2130706433 0x7f.1 017700000001 127.1 [::ffff:127.0.0.1] [::ffff:7f00:1] [::1] localhost １２７.0.0.1'
  it.each(SPELLINGS.split(' '))('in the spelling %s', async host => {
    const receiver = await receiving()
    const { port } = new URL(receiver.url)
    for (const address of [
      `http://${host}:${port}/`,
      `https://${host}:${port}/`,
      `https://${host}/`,
    ]) {
      const answer = await createWebhookClient(STRICT).post(address, {}, '{}')
      expect(answer).toMatchObject({
        status: null,
        text: expect.stringMatching(/must|public host/),
      })
    }
    expect(receiver.connections()).toBe(0)
  })

  it.each([
    [['127.0.0.1']],
    [['8.8.8.8', '127.0.0.1']],
    [['::1']],
    [['::ffff:127.0.0.1']],
    [['169.254.169.254']],
    [['fe80::1%lo']],
    [[]],
  ])('when a name resolves to %s', async addresses => {
    const asked: string[] = []
    const client = createWebhookClient(STRICT, async name => {
      asked.push(name)
      return addresses
    })
    const answer = await client.post('https://rebinding.example:8443/', {}, '{}')
    expect(answer).toMatchObject({
      status: null,
      text: expect.stringMatching(/not of a public host/),
    })
    expect(asked).toEqual(['rebinding.example'])
  })

  it('behind a proxy, which resolves names: a URL is refused for a literal address only', async () => {
    const { refuse } = createWebhookClient(
      { ...STRICT, proxy: 'http://proxy.example' },
      async () => ['10.1.2.3'],
    )
    expect(await refuse('https://inside.example/')).toBeNull()
    expect(await refuse('https://10.1.2.3/')).toMatch(/public host/)
  })

  it('when a name resolves to another address at the second call, because each connection checks what it uses', async () => {
    const receiver = await receiving()
    let calls = 0
    const client = createWebhookClient(STRICT, async () =>
      ++calls === 1 ? ['192.0.2.1'] : ['127.0.0.1'],
    )
    for (let call = 0; call < 3; call++)
      expect((await client.post('https://rebinding.example/', {}, '{}')).text).toMatch(
        /not of a public host/,
      )
    expect(calls, 'resolved once a connection').toBe(3)
    expect(receiver.connections()).toBe(0)
  })
})

describe('with an egress proxy', () => {
  async function startProxy(status: number) {
    const asked: { target: string; authorization: string | undefined }[] = []
    const server = createServer()
    server.on('connect', (request, socket) => {
      asked.push({ target: request.url!, authorization: request.headers['proxy-authorization'] })
      if (status !== 200) return socket.end(`HTTP/1.1 ${status} No\r\n\r\n`)
      const { hostname, port } = new URL(`http://${request.url}`)
      const onward = connect(Number(port), hostname, () => {
        socket.write('HTTP/1.1 200 OK\r\n\r\n')
        socket.pipe(onward).pipe(socket)
      })
      for (const end of [socket, onward]) end.on('error', () => {})
    })
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
    const proxy = `http://user:p%40ss@127.0.0.1:${(server.address() as AddressInfo).port}`
    return { proxy, asked, end: () => new Promise(resolve => server.close(resolve)) }
  }

  it('messages go through it, and a literal special address is still refused', async () => {
    const receiver = await receiving()
    const { proxy, asked, end } = await startProxy(200)
    const client = createWebhookClient({ ...ALLOWED, proxy })
    expect(await client.post(receiver.url, {}, '{}')).toMatchObject({ status: 204 })
    expect(asked).toEqual([
      { target: new URL(receiver.url).host, authorization: `Basic ${btoa('user:p@ss')}` },
    ])
    const strict = await createWebhookClient({ ...STRICT, proxy }).post(
      'https://127.0.0.2/',
      {},
      '{}',
    )
    expect(strict.text).toMatch(/public host/)
    expect(asked).toHaveLength(1)
    await end()
  })

  it('its refusal is a failure with its status', async () => {
    const { proxy, end } = await startProxy(403)
    const client = createWebhookClient({ ...STRICT, proxy })
    expect(await client.post('https://receiver.example/', {}, '{}')).toMatchObject({
      status: null,
      text: 'The proxy refused the connection with 403.',
    })
    await end()
  })
})
