import { Server as Server2025 } from '@modelcontextprotocol/sdk/server/index.js'
import { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js'
import {
  CallToolRequestSchema,
  ErrorCode,
  GetPromptRequestSchema,
  InitializeRequestSchema,
  ListPromptsRequestSchema,
  ListResourcesRequestSchema,
  ListResourceTemplatesRequestSchema,
  ListToolsRequestSchema,
  ReadResourceRequestSchema,
} from '@modelcontextprotocol/sdk/types.js'
import { createMcpHandler, Server } from '@modelcontextprotocol/server'
import type { Introduction } from './introduction.ts'
import type { Method } from './methods.ts'
import type { Exchange } from './registry.ts'

/** Answers one request of its protocol revision; the message is parsed already. */
export type Revision = (request: Request, message: unknown, exchange: Exchange) => Promise<Response>

/**
 * For both libraries, which otherwise build a validator for every server: it checks what clients
 * answer to questions of the server, and this server asks none.
 */
const NO_VALIDATOR = {
  getValidator: () => {
    throw new Error('This server sends no requests to its clients.')
  },
}

/**
 * For the older library: the shapes of the methods. It answers a malformed one as a failure of its
 * own (-32603).
 */
const SHAPES = {
  'tools/list': ListToolsRequestSchema,
  'tools/call': CallToolRequestSchema,
  'resources/list': ListResourcesRequestSchema,
  'resources/templates/list': ListResourceTemplatesRequestSchema,
  'resources/read': ReadResourceRequestSchema,
  'prompts/list': ListPromptsRequestSchema,
  'prompts/get': GetPromptRequestSchema,
}
const REQUESTS: Record<string, { safeParse(message: unknown): { success: boolean } }> = {
  initialize: InitializeRequestSchema,
  ...SHAPES,
}

/** What a server of either library is made with. */
const optionsOf = ({ instructions }: Introduction) => ({
  capabilities: { tools: {}, resources: {}, prompts: {} },
  instructions: instructions(),
  jsonSchemaValidator: NO_VALIDATOR,
})

/** Revisions up to 2025-11-25, one JSON response to a request. */
export function createMcp2025(
  introduction: Introduction,
  methods: Record<string, Method>,
): Revision {
  return async (request, message, exchange) => {
    const { id, method } = message as { id?: string | number; method?: string }
    const shape =
      id !== undefined && Object.hasOwn(REQUESTS, method ?? '') ? REQUESTS[method ?? ''] : null
    if (shape && !shape.safeParse(message).success) {
      const error = { code: ErrorCode.InvalidParams, message: `Invalid params of ${method}.` }
      return Response.json({ jsonrpc: '2.0', id, error })
    }
    const server = new Server2025(introduction.serverInfo, optionsOf(introduction))
    for (const [name, schema] of Object.entries(SHAPES))
      server.setRequestHandler(
        schema,
        ({ params }) => methods[name]!(params as never, exchange) as never,
      )
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

/**
 * The lists and the introduction are the same for every caller and change only with a release, or
 * when demo data are loaded.
 */
const FOR_AN_HOUR = { ttlMs: 3_600_000, cacheScope: 'public' } as const

/** Revision 2026-07-28, one JSON response to a request. */
export function createMcp2026(
  introduction: Introduction,
  methods: Record<string, Method>,
): Revision {
  const exchanges = new WeakMap<Request, Exchange>()
  const fixed = ['server/discover', ...Object.keys(methods).filter(name => name.endsWith('/list'))]
  const cacheHints = Object.fromEntries(fixed.map(name => [name, FOR_AN_HOUR]))

  function serverOf(exchange: Exchange) {
    const server = new Server(introduction.serverInfo, { ...optionsOf(introduction), cacheHints })
    for (const [name, method] of Object.entries(methods))
      server.setRequestHandler(
        name as 'tools/call',
        ({ params }) => method(params as never, exchange) as never,
      )
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
