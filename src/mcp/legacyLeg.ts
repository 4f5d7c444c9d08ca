import { Server } from '@modelcontextprotocol/sdk/server/index.js'
import { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js'
import {
  CallToolRequestSchema,
  ErrorCode,
  ListToolsRequestSchema,
  McpError,
} from '@modelcontextprotocol/sdk/types.js'
import { type Leg, noting } from './exchange.ts'
import type { Introduction } from './introduction.ts'
import type { Toolbox } from './toolbox.ts'

/** The SDK makes one of its own for every server otherwise; it checks answers to questions, which this server never asks. */
const NEVER_ASKED = {
  getValidator: () => {
    throw new Error('This server asks its clients nothing.')
  },
}

/** Revisions up to 2025-11-25, one JSON answer to a request. */
export function createLegacyLeg({ serverInfo, instructions }: Introduction, toolbox: Toolbox): Leg {
  return async (request, message, exchange) => {
    const server = new Server(serverInfo, {
      capabilities: { tools: {} },
      instructions,
      jsonSchemaValidator: NEVER_ASKED,
    })
    server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: toolbox.listed }))
    server.setRequestHandler(CallToolRequestSchema, ({ params }) => {
      if (!toolbox.has(params.name))
        throw new McpError(ErrorCode.InvalidParams, `Unknown tool: ${params.name}`)
      return noting(exchange, () => toolbox.call(params.name, params.arguments ?? {}, exchange))
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
