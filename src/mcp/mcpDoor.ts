import { isLegacyRequest } from '@modelcontextprotocol/server'
import type { Request as HttpRequest, Response as HttpResponse, RequestHandler } from 'express'
import type { Contract } from '../contract/document.ts'
import type { CacheValidity } from '../contract/rawJson.ts'
import type { ApiError } from '../domain/errors.ts'
import type { Deps } from '../usecases/deps.ts'
import type { Exchange } from './exchange.ts'
import { introduce } from './introduction.ts'
import { createLegacyLeg } from './legacyLeg.ts'
import { createModernLeg } from './modernLeg.ts'
import { originGuard } from './originGuard.ts'
import { INVALID_REQUEST, METHOD_NOT_FOUND, PARSE_ERROR, RpcRefusal, refuse } from './rpcRefusal.ts'
import { createToolbox } from './toolbox.ts'

export interface McpDoorOptions {
  contract: Contract
  deps: Deps
  /** Hosts of web pages that may call, besides the service's own and this machine. */
  origins: string[]
  /** Is told of answers that may be sent again. */
  note(
    res: HttpResponse,
    sent: { operationId: 'callMcp'; plan: null; text: string; validity: CacheValidity },
  ): void
}

/** What a route needs to let agents in (http/otherDoor). */
export interface McpDoor {
  guard: RequestHandler
  costs(body: unknown): boolean
  answer: RequestHandler
  refuse(error: ApiError): { headers: Record<string, string>; body: object | null }
}

/** The headers that the protocol reads; the others are nobody's business there. */
const PROTOCOL_HEADERS = ['mcp-protocol-version', 'mcp-method', 'mcp-name']

/** The agent endpoint: both protocol eras behind one address, over one table of tools. */
export function createMcpDoor({ contract, deps, origins, note }: McpDoorOptions): McpDoor {
  const toolbox = createToolbox(contract, deps)
  const introduction = introduce(contract, deps.publicUrl)
  const legacy = createLegacyLeg(introduction, toolbox)
  const modern = createModernLeg(introduction, toolbox)
  const address = `${deps.publicUrl}/api/v1/mcp`

  async function answer(req: HttpRequest, res: HttpResponse): Promise<void> {
    const message = messageOf(req, res)
    const request = new Request(address, { method: 'POST', headers: protocolHeaders(req) })
    const exchange: Exchange = {
      sent: argumentsOf(message),
      caller: res.locals.caller,
      failure: undefined,
      validity: null,
    }
    const leg = (await isLegacyRequest(request, message)) ? legacy : modern
    const response = await leg(request, message, exchange)
    // Nobody hears it; it ends the call for those who count what is under way.
    if (res.closed) return void res.end()
    if (exchange.failure !== undefined) throw exchange.failure
    if (response.status >= 500) throw new Error(`The protocol library failed: ${await response.text()}`)
    await send(res, response, exchange)
  }

  async function send(res: HttpResponse, response: Response, { validity }: Exchange): Promise<void> {
    res.status(response.status)
    res.setHeader('Cache-Control', 'no-store')
    res.setHeader('Link', `<${deps.publicUrl}/terms>; rel="terms-of-service"`)
    if (response.body === null) return void res.end()
    const text = await response.text()
    // Read only where a response is held against the contract.
    Object.defineProperty(res.locals, 'body', { get: () => JSON.parse(text) })
    res.setHeader('Content-Type', 'application/json; charset=utf-8')
    if (validity) note(res, { operationId: 'callMcp', plan: null, text, validity })
    res.end(text)
  }

  return { guard: originGuard(deps.publicUrl, origins), costs, answer, refuse }
}

/** Calling a tool is what costs; connecting, listing and pinging are free. */
function costs(body: unknown): boolean {
  return isObject(body) && body.method === 'tools/call'
}

/** @throws RpcRefusal for what no leg should see. */
function messageOf(req: HttpRequest, res: HttpResponse): Record<string, unknown> {
  const { body } = req
  if (res.locals.query.pairs.length > 0 || res.locals.query.fault)
    throw new RpcRefusal(400, INVALID_REQUEST, 'This address takes no query parameters.')
  if (body === undefined) throw new RpcRefusal(400, PARSE_ERROR, 'The body is empty.')
  if (Array.isArray(body))
    throw new RpcRefusal(400, INVALID_REQUEST, 'Send one JSON-RPC message a request, not an array.')
  if (!isObject(body)) throw new RpcRefusal(400, INVALID_REQUEST, 'A JSON-RPC message is an object.')
  // The library would open a stream for it; there is nothing here to subscribe to.
  if (body.method === 'subscriptions/listen')
    throw new RpcRefusal(404, METHOD_NOT_FOUND, 'Method not found', idOf(body))
  return body
}

function isObject(body: unknown): body is Record<string, unknown> {
  return typeof body === 'object' && body !== null && !Array.isArray(body)
}

/** What is no object is refused by the legs. */
function argumentsOf({ params }: Record<string, unknown>): Record<string, unknown> {
  return isObject(params) && isObject(params.arguments) ? params.arguments : {}
}

function idOf({ id }: Record<string, unknown>): string | number | null {
  return typeof id === 'string' || typeof id === 'number' ? id : null
}

/** Answers are JSON whatever a client would rather have, so the library is told that it may have JSON. */
function protocolHeaders(req: HttpRequest): Headers {
  const headers = new Headers({
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
  })
  for (const name of PROTOCOL_HEADERS) {
    const value = req.headers[name]
    if (typeof value === 'string') headers.set(name, value)
  }
  return headers
}
