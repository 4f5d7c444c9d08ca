import type { Response } from 'supertest'
import { expect } from 'vitest'
import { TOOLS } from '../../../src/mcp/tools.ts'
import type { TestService } from '../service/start.ts'

export const MCP_PATH = '/api/v1/mcp'
export const MODERN = '2026-07-28'

interface Sent {
  /** Null: no key. Absent: one that may do everything, without limits. */
  key?: string | null
  headers?: Record<string, string>
}

/** One message as it is written. */
export function post(
  api: TestService,
  message: unknown,
  { key, headers = {} }: Sent = {},
): Promise<Response> {
  return api.send('post', MCP_PATH, {
    ...(key === undefined ? {} : { key }),
    headers: { 'Content-Type': 'application/json', ...headers },
    body: message,
  })
}

/** A request of the revisions up to 2025-11-25. */
export function legacyRequest(method: string, params?: object): object {
  return { jsonrpc: '2.0', id: 1, method, ...(params ? { params } : {}) }
}

/** The handshake of the revisions up to 2025-11-25. */
export function initializeRequest(protocolVersion = '2025-11-25'): object {
  return legacyRequest('initialize', {
    protocolVersion,
    capabilities: {},
    clientInfo: { name: 'a', version: '1' },
  })
}

/** A request of revision 2026-07-28, with its headers. */
export function modernRequest(method: string, params: Record<string, unknown> = {}) {
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': MODERN,
    'io.modelcontextprotocol/clientInfo': { name: 'tests', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': {},
  }
  const named = params.name ?? params.uri
  const name = named === undefined ? {} : { 'Mcp-Name': String(named) }
  return {
    message: { jsonrpc: '2.0', id: 1, method, params: { ...params, _meta } },
    headers: { 'MCP-Protocol-Version': MODERN, 'Mcp-Method': method, ...name } as Record<
      string,
      string
    >,
  }
}

/** What a tool answered: the HTTP answer, the result, and its text. */
export interface ToolAnswer {
  response: Response
  isError: boolean
  text: string
  structured: Record<string, never> | undefined
}

/** Calls a tool, in the older era. @throws when the answer is no result. */
export async function callTool(
  api: TestService,
  name: string,
  sent: object = {},
  options: Sent = {},
): Promise<ToolAnswer> {
  const response = await post(api, legacyRequest('tools/call', { name, arguments: sent }), options)
  expect([response.status, response.body.error], JSON.stringify(response.body)).toEqual([
    200,
    undefined,
  ])
  const { content, structuredContent, isError = false } = response.body.result
  return { response, isError, text: content[0].text, structured: structuredContent }
}

/** What a search leaves out where it is as usual. */
const USUAL: Record<string, unknown> = {
  status: 'live',
  offer_kind: 'auction',
  end_precision: 'second',
  quantity: 1,
  value_grade: 'comparables',
  buyers_premium_percent: 0,
}

/**
 * The body of a REST response as the tool gives it: without null and what the tool omits, numbers
 * at two decimals.
 */
export function asToolGives(tool: string, body: object): object {
  const { omitted = [] } = TOOLS.find(({ name }) => name === tool)!
  return JSON.parse(JSON.stringify(body), (name, value) => {
    if (value === null || omitted.includes(name)) return undefined
    if (tool === 'search_listings' && USUAL[name] === value) return undefined
    return typeof value === 'number' ? Number(value.toFixed(2)) : value
  })
}
