import type { IncomingHttpHeaders } from 'node:http'
import {
  INVALID_REQUEST,
  localhostAllowedOrigins,
  METHOD_NOT_FOUND,
  PARSE_ERROR,
  validateOriginHeader,
} from '@modelcontextprotocol/server'
import type { Contract } from '../contract/document.ts'
import { ApiError } from '../contract/errors.ts'
import { RpcAnswer } from '../contract/rpcAnswer.ts'
import type { RpcCall } from '../contract/types.ts'
import type { Caller } from '../domain/caller.ts'
import { isObject } from '../domain/feeds/cells.ts'
import type { AgentEndpoint, Deps } from '../usecases/deps.ts'
import { readsCard } from './card.ts'
import { introduce } from './introduction.ts'
import { createMethods } from './methods.ts'
import { createProtocol } from './protocol.ts'
import type { Exchange, ToolRegistry } from './registry.ts'

interface McpOptions {
  contract: Contract
  tools: ToolRegistry
  publicUrl: string
  /** What the data are, as the latest read has found. */
  data: Deps['data']
  /**
   * Hosts of web pages that may call, besides the service's own and this
   * machine; `moz-extension://*` allows a scheme.
   */
  origins: string[]
}

type Message = Record<string, unknown>

/** The headers that the protocol reads. */
const MCP_HEADERS = ['mcp-protocol-version', 'mcp-method', 'mcp-name']
const MAX_SHOWN_ORIGIN = 80

/**
 * A message that is refused before the protocol library sees it. The HTTP body
 * is a JSON-RPC error.
 */
class RpcRefusal extends ApiError {
  readonly rpcCode: number
  readonly id: string | number | null

  constructor(
    status: 400 | 404,
    rpcCode: number,
    message: string,
    id: string | number | null = null,
  ) {
    super(status === 404 ? 'not_found' : 'invalid_request', message)
    this.rpcCode = rpcCode
    this.id = id
  }
}

/**
 * The agent endpoint: both protocol revisions at one URL, with one table of
 * tools.
 */
export function createMcpEndpoint({
  contract,
  tools,
  publicUrl,
  data,
  origins,
}: McpOptions): AgentEndpoint {
  const methods = createMethods(tools)
  const introduction = introduce(contract, publicUrl, data)
  const protocol = createProtocol(introduction, methods)
  const url = `${publicUrl}/api/v1/mcp`
  const allowedOrigins = [
    new URL(publicUrl).hostname,
    ...localhostAllowedOrigins(),
    ...origins,
  ]

  /**
   * Refuses web pages of other origins, as the protocol requires against DNS
   * rebinding. Browsers send `Origin` with every POST; a request without one is
   * not from a page. Ports and schemes are not compared.
   */
  function assertOrigin(origin: string | undefined) {
    if (validateOriginHeader(origin, allowedOrigins).ok) return
    const shown = String(origin).slice(0, MAX_SHOWN_ORIGIN)
    throw new ApiError(
      'forbidden',
      `Web pages of "${shown}" may not call the agent endpoint.`,
    )
  }

  async function answer(
    deps: Deps,
    { body, query, headers }: RpcCall,
    caller: Caller,
  ) {
    const message = messageOf(body, query)
    const request = new Request(url, {
      method: 'POST',
      headers: protocolHeaders(headers),
    })
    const exchange: Exchange = { deps, sent: argumentsOf(message), caller }
    const response = await protocol(request, message, exchange)
    if (exchange.failure !== undefined) throw exchange.failure
    if (response.status >= 500)
      throw new Error(`The protocol library failed: ${await response.text()}`)
    const text = response.body === null ? null : await response.text()
    const isFixed = response.status === 200 && hasFixedAnswer(message)
    return new RpcAnswer(response.status, text, {
      isFixed,
      unavailable: exchange.unavailable,
    })
  }

  return { assertOrigin, costs, readsCard, answer, refuse }
}

const FIXED_METHODS = [
  'initialize',
  'server/discover',
  'tools/list',
  'resources/list',
  'prompts/list',
]
/**
 * Whether the answer to a message depends on nothing but the message and the
 * kind of the data.
 */
function hasFixedAnswer(message: Message) {
  return FIXED_METHODS.includes(message.method as string) || readsCard(message)
}

/**
 * Calling a tool or reading a resource costs a call; connecting, listing and
 * pinging are free without a key, reading the card with one too.
 */
function costs(body: unknown) {
  if (!isObject(body) || readsCard(body)) return false
  return body.method === 'tools/call' || body.method === 'resources/read'
}

/**
 * What is wrong with a message is a JSON-RPC error (400, 404), an unknown key
 * gets the challenge of RFC 6750, section 3.1, and any other refusal has the
 * error body of the contract.
 */
function refuse(error: ApiError) {
  const headers: Record<string, string> =
    error.code === 'invalid_api_key'
      ? { 'WWW-Authenticate': 'Bearer realm="mcp", error="invalid_token"' }
      : {}
  if (error.status !== 400 && error.status !== 404)
    return { headers, body: null }
  // A body that cannot be read is refused by its parser.
  const { rpcCode: code, id } =
    error instanceof RpcRefusal ? error : { rpcCode: PARSE_ERROR, id: null }
  return {
    headers,
    body: { jsonrpc: '2.0', id, error: { code, message: error.message } },
  }
}

/** @throws RpcRefusal for a message that the protocol library must not see. */
function messageOf(body: unknown, { pairs, fault }: RpcCall['query']) {
  if (pairs.length > 0 || fault)
    throw new RpcRefusal(
      400,
      INVALID_REQUEST,
      'This address takes no query parameters.',
    )
  if (body === undefined)
    throw new RpcRefusal(400, PARSE_ERROR, 'The body is empty.')
  if (Array.isArray(body))
    throw new RpcRefusal(
      400,
      INVALID_REQUEST,
      'Send one JSON-RPC message per request, not an array.',
    )
  if (!isObject(body))
    throw new RpcRefusal(
      400,
      INVALID_REQUEST,
      'A JSON-RPC message is an object.',
    )
  // The library would open a stream for it; this server has nothing to
  // subscribe to.
  if (body.method === 'subscriptions/listen')
    throw new RpcRefusal(404, METHOD_NOT_FOUND, 'Method not found', idOf(body))
  return body
}

/**
 * Parameters or arguments that are not objects are refused by the protocol
 * library.
 */
function argumentsOf({ params }: Message) {
  return isObject(params) && isObject(params.arguments) ? params.arguments : {}
}

function idOf({ id }: Message) {
  return typeof id === 'string' || typeof id === 'number' ? id : null
}

/**
 * The response is JSON whatever `Accept` says; the library answers 406 unless
 * it allows both types.
 */
function protocolHeaders(sent: IncomingHttpHeaders) {
  const headers = new Headers({
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
  })
  for (const name of MCP_HEADERS) {
    const value = sent[name]
    if (typeof value === 'string') headers.set(name, value)
  }
  return headers
}
