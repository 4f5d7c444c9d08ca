import { Server } from '@modelcontextprotocol/sdk/server/index.js'
import { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js'
import {
  CallToolRequestSchema,
  ErrorCode,
  InitializeRequestSchema,
  ListToolsRequestSchema,
  McpError,
} from '@modelcontextprotocol/sdk/types.js'
import { type Leg, noting } from './exchange.ts'
import type { Introduction } from './introduction.ts'
import { NEVER_ASKED } from './neverAsked.ts'
import type { Toolbox } from './toolbox.ts'

/** The library answers a malformed request as if it had failed itself (-32603), so these are looked at before. */
const REQUESTS: Record<string, { safeParse(message: unknown): { success: boolean } }> = {
  initialize: InitializeRequestSchema,
  'tools/list': ListToolsRequestSchema,
  'tools/call': CallToolRequestSchema,
}

/** Revisions up to 2025-11-25, one JSON answer to a request. */
export function createLegacyLeg({ serverInfo, instructions }: Introduction, toolbox: Toolbox): Leg {
  return async (request, message, exchange) => {
    const { id, method } = message as { id?: string | number; method?: string }
    const shape = id !== undefined && Object.hasOwn(REQUESTS, method ?? '') ? REQUESTS[method ?? ''] : null
    if (shape && !shape.safeParse(message).success) {
      const error = { code: ErrorCode.InvalidParams, message: `Invalid params of ${method}.` }
      return Response.json({ jsonrpc: '2.0', id, error })
    }
    const server = new Server(serverInfo, {
      capabilities: { tools: {} },
      instructions,
      jsonSchemaValidator: NEVER_ASKED,
    })
    server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: toolbox.listed }))
    server.setRequestHandler(CallToolRequestSchema, ({ params }) => {
      if (!toolbox.has(params.name))
        throw new McpError(ErrorCode.InvalidParams, `Unknown tool: ${params.name}`)
      return noting(exchange, () => toolbox.call(params.name, exchange.sent, exchange))
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
