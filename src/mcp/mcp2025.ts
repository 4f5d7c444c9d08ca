import { Server } from '@modelcontextprotocol/sdk/server/index.js'
import { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js'
import {
  CallToolRequestSchema,
  ErrorCode,
  InitializeRequestSchema,
  ListToolsRequestSchema,
  McpError,
} from '@modelcontextprotocol/sdk/types.js'
import type { Introduction } from './introduction.ts'
import { NO_VALIDATOR, type Revision } from './protocol.ts'
import type { ToolRegistry } from './registry.ts'

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
    const server = new Server(serverInfo, {
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
