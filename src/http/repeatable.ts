import { isUtf8 } from 'node:buffer'
import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'

/** What a call is known by when it comes again, from anybody. */
export interface Repeatable {
  name: string
  /** What the answer ends with for this call alone. */
  ending: string
}

/** With one of these an answer depends on more than the address; a 304 has rules of its own. */
const CONDITIONS = ['if-none-match', 'if-modified-since', 'content-length', 'transfer-encoding', 'expect']
/** With one of these a message is looked at more closely than here. */
const UNCOMMON = ['origin', 'content-encoding', 'transfer-encoding', 'expect']
/** What the agent protocol reads besides the message. */
const PROTOCOL_HEADERS = ['mcp-protocol-version', 'mcp-method', 'mcp-name']
const JSON_TYPE = /^application\/json(; ?charset=utf-8)?$/i
const LONGEST_ADDRESS = 1_000
const LONGEST_MESSAGE = 4_096
const LONGEST_ID = 100

/** A call of an operation: known by its address. Null for what cannot be known so. */
export function repeatableGet(req: IncomingMessage): Repeatable | null {
  const { method, url = '', headers } = req
  if (method !== 'GET' || url.length > LONGEST_ADDRESS || CONDITIONS.some(name => name in headers))
    return null
  return { name: url, ending: '' }
}

/** Whether a message is small and plain enough to be looked at here. */
export function isPlainMessage({ headers }: IncomingMessage): boolean {
  const length = Number(headers['content-length'] ?? 0)
  const isJson = JSON_TYPE.test(headers['content-type'] ?? '')
  return isJson && length > 0 && length <= LONGEST_MESSAGE && !UNCOMMON.some(name => name in headers)
}

/**
 * A call of a tool (JSON-RPC `tools/call`): known by its parameters, whatever its id. The body of a plain message is read, and
 * left to be read again. Null for anything else.
 */
export async function repeatableToolCall(req: IncomingMessage): Promise<Repeatable | null> {
  const { headers } = req
  const message = parsed(await peek(req, Number(headers['content-length'])))
  if (!message || Object.keys(message).length !== 4 || message.jsonrpc !== '2.0') return null
  const { id, method, params } = message
  const isNamed = typeof id === 'string' ? id.length <= LONGEST_ID : Number.isSafeInteger(id)
  if (method !== 'tools/call' || !isNamed || !params) return null
  const protocol = PROTOCOL_HEADERS.map(name => headers[name])
  return { name: JSON.stringify([method, ...protocol, params]), ending: endingOf(id) }
}

/** How a JSON-RPC answer ends, as both protocol libraries write it. */
function endingOf(id: unknown): string {
  return `,"jsonrpc":"2.0","id":${JSON.stringify(id)}}`
}

/** The body, put back as it was; null when it does not come. */
async function peek(req: IncomingMessage, length: number): Promise<Buffer | null> {
  const chunks: Buffer[] = []
  let received = 0
  while (received < length) {
    const chunk: Buffer | null = req.read()
    if (chunk !== null) {
      chunks.push(chunk)
      received += chunk.length
    } else if (req.destroyed || req.readableEnded) return null
    else await Promise.race([once(req, 'readable'), once(req, 'close')]).catch(() => {})
  }
  const body = Buffer.concat(chunks)
  req.unshift(body)
  return body
}

function parsed(body: Buffer | null): Record<string, unknown> | null {
  if (body === null || !isUtf8(body)) return null
  try {
    const message: unknown = JSON.parse(body.toString())
    return typeof message === 'object' && message !== null ? (message as Record<string, unknown>) : null
  } catch {
    return null
  }
}
