import { randomUUID } from 'node:crypto'
import { type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import { ApiError } from '../domain/errors.ts'
import { errorBody } from './errors.ts'

/** What Node's parser says, as a refusal. Anything else is a request that is no HTTP. */
const PARSER_FAULTS: Record<string, [status: number, message: string]> = {
  HPE_HEADER_OVERFLOW: [431, 'The request line and headers are larger than 16 kB.'],
  HPE_CHUNK_EXTENSIONS_OVERFLOW: [413, 'The chunk extensions of the body are too large.'],
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'The request did not arrive in time.'],
}

/** What Node refuses before Express sees it gets the error body of the contract too. */
export function answerNodeRefusals(server: Server, publicUrl: string): void {
  server.on('clientError', (fault: NodeJS.ErrnoException, socket: Duplex) => {
    if (fault.code === 'ECONNRESET' || !socket.writable) return void socket.destroy()
    const [status, message] = PARSER_FAULTS[fault.code ?? ''] ?? [
      400,
      'This is not a well-formed HTTP/1.1 request.',
    ]
    refuse(socket, publicUrl, new ApiError('invalid_request', message, { status }))
  })
  server.on('connect', (_req: IncomingMessage, socket: Duplex) => {
    refuse(
      socket,
      publicUrl,
      new ApiError('invalid_request', 'This service is no proxy.', { status: 405, allow: 'GET, HEAD' }),
    )
  })
  server.on('checkExpectation', (_req: IncomingMessage, res: ServerResponse) => {
    const error = new ApiError(
      'invalid_request',
      'The only expectation this service meets is 100-continue.',
      { status: 417 },
    )
    res.writeHead(error.status, headersOf(error))
    res.end(JSON.stringify(errorBody(publicUrl, error)))
  })
}

function refuse(socket: Duplex, publicUrl: string, error: ApiError): void {
  const body = JSON.stringify(errorBody(publicUrl, error))
  const headers = {
    ...headersOf(error),
    'Content-Length': String(Buffer.byteLength(body)),
    Connection: 'close',
  }
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  socket.end(`HTTP/1.1 ${error.status} ${STATUS_CODES[error.status]}\r\n${lines.join('')}\r\n${body}`)
}

function headersOf(error: ApiError): Record<string, string> {
  return {
    'Content-Type': 'application/json; charset=utf-8',
    'X-Content-Type-Options': 'nosniff',
    'X-Request-Id': randomUUID(),
    'Access-Control-Allow-Origin': '*',
    'Cache-Control': 'no-store',
    ...(error.allow ? { Allow: error.allow } : {}),
  }
}
