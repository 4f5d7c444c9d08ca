import { on, once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { violationsOf } from '../../support/hostile/hostileViolations.ts'
import { exchange } from '../../support/service/rawHttp.ts'
import { serviceFor } from '../../support/service/start.ts'

const api = serviceFor()
const LINE = 'GET /healthz HTTP/1.1\r\nHost: a\r\n'
const POST = 'POST /api/v1/mcp HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n'

/** A connection that sends these bytes and reads nothing, and the end of it that the server has. */
async function openUnread(bytes: string): Promise<{ client: Socket; accepted: Socket }> {
  const { hostname, port } = new URL(api.address)
  const arrivals = on(api.server, 'connection') as AsyncIterable<[Socket]>
  const client = connect({ port: Number(port), host: hostname, allowHalfOpen: true }).on(
    'error',
    () => {},
  )
  client.pause()
  client.write(bytes)
  for await (const [accepted] of arrivals) {
    if (accepted.remotePort === client.localPort) return { client, accepted }
  }
  throw new Error('The server ended.')
}

/**
 * Sends a byte now and then, so that the connection is never silent, and reads until it is closed.
 */
function trickle(head: string, byte: string): Promise<string> {
  const { hostname, port } = new URL(api.address)
  return new Promise(resolve => {
    let text = ''
    let more: NodeJS.Timeout
    const socket = connect(Number(port), hostname, () => {
      socket.write(head)
      more = setInterval(() => socket.write(byte), 200)
    })
    socket.on('data', chunk => {
      text += chunk
    })
    socket.on('error', () => {})
    socket.once('close', () => {
      clearInterval(more)
      resolve(text)
    })
  })
}

// With the limits that the service sets, which take half a minute, so all at once.
describe.concurrent('a client', () => {
  it.each([
    [
      'that reads nothing of its response',
      `${LINE.replace('/healthz', '/llms-full.txt')}\r\n`.repeat(200),
    ],
    ['that never sends a byte, and keeps its side open', ''],
    ['that is refused, reads nothing of it, and keeps its side open', 'nonsense\r\n\r\n'],
    ['that wants a tunnel, and keeps its side open', 'CONNECT a:1 HTTP/1.1\r\nHost: a:1\r\n\r\n'],
    ['that stops within its headers, and keeps its side open', LINE],
    ['that stops within its body', `${POST}Content-Length: 9\r\n\r\n{`],
  ])('%s loses its connection', async (_, bytes) => {
    const { client, accepted } = await openUnread(bytes)
    if (!accepted.closed) await once(accepted, 'close')
    client.destroy()
  })

  it('whose request never ends gets 408 in JSON', async () => {
    const { answers } = await exchange(api.address, `${LINE}X-A: b`, 120_000)
    expect(answers.map(({ status }) => status)).toEqual([408])
    expect(violationsOf(answers[0]!, null)).toEqual([])
  })

  it.each([
    ['headers', `${LINE}X-A: `, 'b'],
    ['a body', `${POST}Content-Length: 60000\r\n\r\n{`, ' '],
    ['chunks', `${POST}Transfer-Encoding: chunked\r\n\r\n`, '1\r\n \r\n'],
  ])(
    'is cut off with 408 while it trickles %s, and others are answered meanwhile',
    async (_, head, byte) => {
      const slow = Array.from({ length: 40 }, () => trickle(head, byte))
      expect((await api.ask({ method: 'GET', path: '/api/v1/sources' })).status).toBe(200)
      for (const text of await Promise.all(slow)) {
        expect(text).toMatch(/^HTTP\/1\.1 408 /)
        expect(text).toContain('"code":"invalid_request"')
      }
    },
  )

  it('that is idle keeps its connection for longer than headers or a request may take', async () => {
    const { hostname, port } = new URL(api.address)
    const socket = connect(Number(port), hostname).on('error', () => {})
    const ask = async () => {
      socket.write(`${LINE}\r\n`)
      const [answer] = await Promise.race([once(socket, 'data'), once(socket, 'close')])
      return String(answer).slice(0, 15)
    }
    expect(await ask()).toBe('HTTP/1.1 200 OK')
    await sleep(40_000)
    expect(await ask()).toBe('HTTP/1.1 200 OK')
    socket.destroy()
  })
})
