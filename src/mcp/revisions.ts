import { Server as Server2025 } from '@modelcontextprotocol/sdk/server/index.js'
import { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js'
import {
  CallToolRequestSchema,
  ErrorCode,
  InitializeRequestSchema,
  ListToolsRequestSchema,
  McpError,
} from '@modelcontextprotocol/sdk/types.js'
import { createMcpHandler, ProtocolError, ProtocolErrorCode, Server } from '@modelcontextprotocol/server'
import type { Introduction } from './introduction.ts'
import type { Exchange, ToolRegistry } from './registry.ts'

/** Answers one request of its protocol revision; the message is parsed already. */
export type Revision = (request: Request, message: unknown, exchange: Exchange) => Promise<Response>

/**
 * For both libraries, which otherwise build a validator for every server: it checks what clients answer to questions of the
 * server, and this server asks none.
 */
const NO_VALIDATOR = {
  getValidator: (): never => {
    throw new Error('This server sends no requests to its clients.')
  },
}

/** The library answers a malformed request as a failure of its own (-32603), so these are checked before. */
const REQUESTS: Record<string, { safeParse(message: unknown): { success: boolean } }> = {
  initialize: InitializeRequestSchema,
  'tools/list': ListToolsRequestSchema,
  'tools/call': CallToolRequestSchema,
}

/** Revisions up to 2025-11-25, one JSON response to a request. */
export function createMcp2025({ serverInfo, instructions }: Introduction, tools: ToolRegistry): Revision {
  return async (request, message, exchange) => {
    const { id, method } = message as { id?: string | number; method?: string }
    const shape = id !== undefined && Object.hasOwn(REQUESTS, method ?? '') ? REQUESTS[method ?? ''] : null
    if (shape && !shape.safeParse(message).success) {
      const error = { code: ErrorCode.InvalidParams, message: `Invalid params of ${method}.` }
      return Response.json({ jsonrpc: '2.0', id, error })
    }
    const server = new Server2025(serverInfo, {
      capabilities: { tools: {} },
      instructions: instructions(),
      jsonSchemaValidator: NO_VALIDATOR,
    })
    server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: tools.listed }))
    server.setRequestHandler(CallToolRequestSchema, ({ params }) => {
      if (!tools.has(params.name)) throw new McpError(ErrorCode.InvalidParams, `Unknown tool: ${params.name}`)
      return tools.call(params.name, exchange)
    })
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: undefined,
      enableJsonResponse: true,
    })
    await server.connect(transport)
    try {
      return await transport.handleRequest(request, { parsedBody: message })
    } finally {
      await server.close()
    }
  }
}

/** The tools and the introduction are the same for every caller and change only with a release, or when demo data are loaded. */
const FOR_AN_HOUR = { ttlMs: 3_600_000, cacheScope: 'public' } as const

/** Revision 2026-07-28, one JSON response to a request. */
export function createMcp2026({ serverInfo, instructions }: Introduction, tools: ToolRegistry): Revision {
  const exchanges = new WeakMap<Request, Exchange>()

  function serverOf(exchange: Exchange): Server {
    const server = new Server(serverInfo, {
      capabilities: { tools: {} },
      instructions: instructions(),
      jsonSchemaValidator: NO_VALIDATOR,
      cacheHints: { 'tools/list': FOR_AN_HOUR, 'server/discover': FOR_AN_HOUR },
    })
    server.setRequestHandler('tools/list', () => ({ tools: tools.listed }))
    server.setRequestHandler('tools/call', ({ params }) => {
      if (!tools.has(params.name))
        throw new ProtocolError(ProtocolErrorCode.InvalidParams, `Unknown tool: ${params.name}`)
      return tools.call(params.name, exchange)
    })
    return server
  }

  const handler = createMcpHandler(
    ({ requestInfo }) => {
      const exchange = requestInfo && exchanges.get(requestInfo)
      if (!exchange) throw new Error('The protocol library made a server without a request.')
      return serverOf(exchange)
    },
    { legacy: 'reject' },
  )
  return (request, message, exchange) => {
    exchanges.set(request, exchange)
    return handler.fetch(request, { parsedBody: message })
  }
}
