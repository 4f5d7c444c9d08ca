import { once } from 'node:events'
import { createServer, type RequestListener, type Server, type ServerOptions } from 'node:http'
import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import {
  BrokenCircuitError,
  ConsecutiveBreaker,
  circuitBreaker,
  handleAll,
  TimeoutStrategy,
  timeout,
} from 'cockatiel'
import express from 'express'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { portOf } from '../../src/http/server/server.ts'
import { exchange, send } from '../support/service/rawHttp.ts'

let open: Server[] = []
const printers = process.listeners('warning')

// Some of these traps make Node warn, which is as it should be and nothing to print.
beforeAll(() => void process.removeAllListeners('warning'))

afterAll(() => {
  for (const print of printers) process.on('warning', print)
})

afterEach(() => {
  for (const server of open) {
    server.closeAllConnections()
    server.close()
  }
  open = []
})

async function listening(
  app: RequestListener,
  options: ServerOptions = {},
): Promise<{ server: Server; address: string }> {
  const server = createServer(options, app).listen(0, '127.0.0.1')
  open.push(server)
  await once(server, 'listening')
  return { server, address: `http://127.0.0.1:${portOf(server)}` }
}

const ok: RequestListener = (_req, res) => void res.end('ok')

describe('node:http 20', () => {
  it('answers a request without a Host by itself, without a body', async () => {
    const { address } = await listening(ok)
    const { answers } = await exchange(address, 'GET / HTTP/1.1\r\n\r\n')
    expect(answers.map(({ status, body }) => [status, body])).toEqual([[400, '']])
  })

  it('lets HTTP/0.9 and a second Host through', async () => {
    const { address } = await listening(ok)
    for (const bytes of [
      'GET /\r\n\r\n',
      'GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\nConnection: close\r\n\r\n',
    ]) {
      const { answers } = await exchange(address, bytes)
      expect(answers.map(({ status }) => status)).toEqual([200])
    }
  })

  it('server.close() keeps serving a connection that is kept alive and busy', async () => {
    const { server, address } = await listening((_req, res) => void setTimeout(() => res.end('ok'), 100))
    const socket = connect(Number(new URL(address).port), '127.0.0.1')
    let heard = ''
    socket.on('data', chunk => {
      heard += chunk
    })
    const ask = () => socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n')
    ask()
    await sleep(50)
    server.close()
    ask()
    await sleep(350)
    ask()
    await sleep(250)
    socket.destroy()
    expect(heard.match(/200 OK/g)?.length).toBeGreaterThanOrEqual(2)
  })

  it('counts a connection that never sent a byte as busy', async () => {
    const { server, address } = await listening(ok)
    const socket = connect(Number(new URL(address).port), '127.0.0.1')
    await once(socket, 'connect')
    await sleep(50)
    server.closeIdleConnections()
    await sleep(50)
    const connections = await new Promise(resolve => server.getConnections((_error, count) => resolve(count)))
    expect(connections).toBe(1)
    socket.destroy()
  })
})

describe('Express 5.3', () => {
  it('answers in HTML, past every middleware, where it cannot parse the host of the target', async () => {
    const app = express()
    app.use((_req, res) => void res.json({ seen: true }))
    const { address } = await listening(app)
    const { answers } = await exchange(
      address,
      'GET http://[::1/ HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n',
    )
    expect(answers[0]?.status).toBe(404)
    expect(answers[0]?.body).toContain('<!DOCTYPE html>')
  })

  it('refuses a body that claims a compression it does not have with a status, but without a type', async () => {
    const app = express()
    app.use(express.json())
    let thrown: { status?: number; type?: string } = {}
    app.use((error: object, _req: unknown, res: express.Response, _next: unknown) => {
      thrown = error
      res.end()
    })
    const { address } = await listening(app)
    const body = gzipSync('{}').subarray(0, 12)
    const headers = {
      'content-type': 'application/json',
      'content-encoding': 'gzip',
      'content-length': String(body.length),
    }
    await send(address, { method: 'POST', path: '/', headers, body })
    expect([thrown.status, thrown.type]).toEqual([400, undefined])
  })
})

describe('cockatiel 3.2', () => {
  const failing = () => Promise.reject(new Error('away'))

  it('lets everyone wait for the outcome of the one try after a break', async () => {
    const breaker = circuitBreaker(handleAll, { halfOpenAfter: 20, breaker: new ConsecutiveBreaker(1) })
    await breaker.execute(failing).catch(() => {})
    await expect(breaker.execute(failing)).rejects.toThrow(BrokenCircuitError)
    await sleep(40)
    const one = breaker.execute(() => sleep(200, 'tried'))
    const startedAt = performance.now()
    expect(await breaker.execute(() => 'waited')).toBe('waited')
    expect(performance.now() - startedAt).toBeGreaterThan(150)
    expect(await one).toBe('tried')
  })

  it('lets all calls listen to one signal, of which Node warns at the eleventh', async () => {
    const warned = once(process, 'warning')
    const policy = timeout(1_000, TimeoutStrategy.Aggressive)
    const breaker = circuitBreaker(handleAll, { halfOpenAfter: 20, breaker: new ConsecutiveBreaker(1) })
    await Promise.all(
      Array.from({ length: 20 }, () =>
        breaker.execute(({ signal }) => policy.execute(() => sleep(20), signal)),
      ),
    )
    expect(String((await warned)[0])).toContain('MaxListenersExceededWarning')
  })
})
