import { randomUUID } from 'node:crypto'
import {
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
  STATUS_CODES,
} from 'node:http'
import type { Duplex } from 'node:stream'
import { ApiError } from '../../domain/errors.ts'
import type { Logger } from '../../infra/log.ts'
import { errorBody } from '../errors.ts'
import { withoutKeys } from '../middleware/redactKeys.ts'

/** Where a refusal goes: to the caller, with addresses of this service, and to the log. */
export interface Teller {
  publicUrl: string
  log: Logger
}

const NO_HTTP = 'This is not a well-formed HTTP/1.1 request.'

/** What Node's parser says, as a refusal. Anything else is a request that is no HTTP. */
const PARSER_FAULTS: Record<string, [status: number, message: string]> = {
  HPE_HEADER_OVERFLOW: [431, 'The request line and headers are larger than 16 kB.'],
  HPE_CHUNK_EXTENSIONS_OVERFLOW: [413, 'The chunk extensions of the body are too large.'],
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'The request did not arrive in time.'],
}

/** What Node refuses before Express sees it gets the error body of the contract too. */
export function answerNodeRefusals(server: Server, teller: Teller): void {
  const latest = new WeakMap<Duplex, { req: IncomingMessage; res: ServerResponse }>()
  server.on(
    'request',
    (req: IncomingMessage, res: ServerResponse) => void latest.set(req.socket, { req, res }),
  )
  server.on('clientError', (fault: NodeJS.ErrnoException, socket: Duplex) => {
    if (fault.code === 'ECONNRESET') return void socket.destroy()
    const [status, message] = PARSER_FAULTS[fault.code ?? ''] ?? [400, NO_HTTP]
    const error = new ApiError('invalid_request', message, { status })
    const { req, res } = latest.get(socket) ?? {}
    if (!req || !res || res.closed) refuse(socket, teller, error)
    // The answers to what came before on this connection go first, and none is cut in two.
    else if (req.complete) res.once('close', () => refuse(socket, teller, error))
    else if (res.headersSent) socket.destroy()
    else respond(req, res, teller, error)
  })
  server.on('connect', (req: IncomingMessage, socket: Duplex) => {
    const message = 'This service is no proxy.'
    refuse(socket, teller, new ApiError('invalid_request', message, { status: 405, allow: 'GET, HEAD' }), req)
  })
  server.on('checkExpectation', (req: IncomingMessage, res: ServerResponse) => {
    const message = 'The only expectation this service meets is 100-continue.'
    respond(req, res, teller, new ApiError('invalid_request', message, { status: 417 }))
  })
}

/**
 * Refuses, with the error body, what Node lets through (HTTP/0.9, two Hosts) or would refuse without a body (no Host;
 * RFC 9112, 3.2), and takes the scheme and host off a target that has them (RFC 9112, 3.2.2): where Express cannot parse
 * the host, it answers in HTML.
 */
export function screened(app: RequestListener, teller: Teller): RequestListener {
  return (req, res) => {
    const hosts = req.headersDistinct.host?.length ?? 0
    if (req.httpVersionMajor < 1 || hosts > 1 || (hosts === 0 && req.httpVersion !== '1.0')) {
      return respond(req, res, teller, new ApiError('invalid_request', NO_HTTP, { status: 400 }))
    }
    req.url = originForm(req.url ?? '/')
    app(req, res)
  }
}

function originForm(target: string): string {
  if (target.startsWith('/')) return target
  const path = target.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i, '')
  return path.startsWith('/') ? path : `/${path}`
}

function respond(req: IncomingMessage, res: ServerResponse, teller: Teller, error: ApiError): void {
  // What Express has begun to answer has an id, and its line is written when this is sent.
  const begun = res.getHeader('X-Request-Id')
  const id = begun === undefined ? randomUUID() : String(begun)
  if (begun === undefined) tell(teller, id, error, req)
  const body = JSON.stringify(errorBody(teller.publicUrl, error))
  res.shouldKeepAlive = false
  res.writeHead(error.status, { ...headersOf(error, id), 'Content-Length': Buffer.byteLength(body) })
  res.end(body)
}

function refuse(socket: Duplex, teller: Teller, error: ApiError, req?: IncomingMessage): void {
  if (!socket.writable) return void socket.destroy()
  const id = randomUUID()
  tell(teller, id, error, req)
  const body = JSON.stringify(errorBody(teller.publicUrl, error))
  const headers = {
    ...headersOf(error, id),
    'Content-Length': String(Buffer.byteLength(body)),
    Connection: 'close',
  }
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  socket.end(`HTTP/1.1 ${error.status} ${STATUS_CODES[error.status]}\r\n${lines.join('')}\r\n${body}`)
}

/** One line, as those of `requestLog`. What could not be parsed has no method and no path; its bytes may hold a key. */
function tell({ log }: Teller, id: string, error: ApiError, req?: IncomingMessage): void {
  const asked = req && { method: req.method, path: withoutKeys((req.url ?? '').split('?')[0] ?? '') }
  log.info({ req: { id, ...asked }, res: { status: error.status } }, error.message)
}

function headersOf(error: ApiError, id: string): Record<string, string> {
  return {
    'Content-Type': 'application/json; charset=utf-8',
    'X-Content-Type-Options': 'nosniff',
    'X-Request-Id': id,
    'Access-Control-Allow-Origin': '*',
    'Cache-Control': 'no-store',
    ...(error.allow ? { Allow: error.allow } : {}),
  }
}
