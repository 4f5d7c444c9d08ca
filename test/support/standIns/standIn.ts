import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http'
import type { AddressInfo } from 'node:net'
import { beforeEach } from 'vitest'
import { shared } from '../run/shared.ts'

/** What a stand-in was asked. */
export interface Asked {
  /** `Date.now()` */
  atMs: number
  method: string
  url: URL
  headers: IncomingHttpHeaders
}

/** An answer of a stand-in, with the faults that real ones have been seen with. */
export interface Served {
  status?: number
  headers?: Record<string, string>
  body?: string | Buffer
  /**
   * Sends the body in pieces of so many bytes without saying how long it is, with a pause after
   * each.
   */
  pieces?: { bytes: number; pauseMs: number }
  /** Ends the connection after so many characters of the body that it has announced. */
  cutAfter?: number
  /** Waits so long between two halves of the body. */
  slowMs?: number
}

export interface StandIn {
  /** http://127.0.0.1:port */
  origin: string
  host: string
  asked: Asked[]
  /** How many answers were under way at the same time, at most. */
  mostAtOnce: number
  close(): Promise<void>
}

/**
 * Such a server for the tests of a file or of a `describe`, with nothing asked before each test.
 */
export function standInFor(answer: (asked: Asked) => Served): StandIn {
  const standIn = shared(() => startStandIn(answer))
  beforeEach(() => {
    standIn.asked.length = 0
  })
  return standIn
}

/** A server on the loopback that plays a source: real HTTP, and what it is asked is kept. */
export async function startStandIn(answer: (asked: Asked) => Served): Promise<StandIn> {
  const asked: Asked[] = []
  let underWay = 0
  // A busy process reuses a connection later than the five seconds after which a server closes it.
  const server = createServer({ keepAliveTimeout: 60_000 }, (request, response) => {
    standIn.mostAtOnce = Math.max(standIn.mostAtOnce, ++underWay)
    response.once('close', () => {
      underWay -= 1
    })
    const one = {
      atMs: Date.now(),
      method: request.method ?? '',
      url: urlOf(request),
      headers: request.headers,
    }
    asked.push(one)
    serve(response, answer(one)).catch(() => response.destroy())
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`
  const standIn: StandIn = {
    origin: `http://${host}`,
    host,
    asked,
    mostAtOnce: 0,
    close: () =>
      new Promise(resolve => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
  return standIn
}

export function json(document: unknown, more: Served = {}): Served {
  return {
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(document),
    ...more,
  }
}

export const BLOCK_PAGE: Served = {
  headers: { 'content-type': 'text/html' },
  body: '<!DOCTYPE html><html><head><title>Access Denied</title></head><body>Reference #18.abc</body></html>',
}

async function serve(
  response: ServerResponse,
  { status = 200, headers, body = '', cutAfter, slowMs, pieces }: Served,
) {
  if (pieces) return servePieces(response.writeHead(status, headers), Buffer.from(body), pieces)
  response.writeHead(status, { ...headers, 'content-length': Buffer.byteLength(body) })
  if (cutAfter !== undefined) {
    response.write(body.slice(0, cutAfter), () => response.destroy())
    return
  }
  if (slowMs === undefined) return void response.end(body)
  response.write(body.slice(0, body.length >> 1))
  await new Promise(resolve => setTimeout(resolve, slowMs).unref())
  if (!response.destroyed) response.end(body.slice(body.length >> 1))
}

async function servePieces(
  response: ServerResponse,
  body: Buffer,
  { bytes, pauseMs }: NonNullable<Served['pieces']>,
) {
  for (let at = 0; at < body.length && !response.destroyed; at += bytes) {
    response.write(body.subarray(at, at + bytes))
    await new Promise(resolve => setTimeout(resolve, pauseMs))
  }
  response.end()
}

function urlOf(request: IncomingMessage): URL {
  return new URL(request.url ?? '/', `http://${request.headers.host}`)
}
