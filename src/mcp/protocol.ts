import {
  createMcpHandler,
  INVALID_PARAMS,
  isLegacyRequest,
  isSpecType,
  Server,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server'
import type { Introduction } from './introduction.ts'
import type { Method } from './methods.ts'
import type { Exchange } from './registry.ts'

/** Answers one request; the message is parsed already. */
export type Protocol = (
  request: Request,
  message: unknown,
  exchange: Exchange,
) => Promise<Response>

/**
 * The shapes of the methods, for revisions up to 2025-11-25: there the library
 * answers a malformed one as a failure of its own (-32603).
 */
const SHAPES: Record<string, (message: unknown) => boolean> = {
  initialize: isSpecType.InitializeRequest,
  'tools/list': isSpecType.ListToolsRequest,
  'tools/call': isSpecType.CallToolRequest,
  'resources/list': isSpecType.ListResourcesRequest,
  'resources/templates/list': isSpecType.ListResourceTemplatesRequest,
  'resources/read': isSpecType.ReadResourceRequest,
  'prompts/list': isSpecType.ListPromptsRequest,
  'prompts/get': isSpecType.GetPromptRequest,
}

/**
 * The lists and the introduction are the same for every caller and change only
 * with a release, or when demo data are loaded.
 */
const FOR_AN_HOUR = { ttlMs: 3_600_000, cacheScope: 'public' } as const

/**
 * Both revisions, one JSON response to a request: 2026-07-28, and those up to
 * 2025-11-25, for which the handler of the library has no JSON mode.
 */
export function createProtocol(
  introduction: Introduction,
  methods: Record<string, Method>,
): Protocol {
  const exchanges = new WeakMap<Request, Exchange>()
  const fixed = [
    'server/discover',
    ...Object.keys(methods).filter(name => name.endsWith('/list')),
  ]
  const cacheHints = Object.fromEntries(fixed.map(name => [name, FOR_AN_HOUR]))

  function serverOf(exchange: Exchange) {
    const server = new Server(introduction.serverInfo, {
      capabilities: { tools: {}, resources: {}, prompts: {} },
      instructions: introduction.instructions(),
      cacheHints,
    })
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
      if (!exchange)
        throw new Error('The protocol library made a server without a request.')
      return serverOf(exchange)
    },
    { legacy: 'reject' },
  )

  async function answerLegacy(
    request: Request,
    message: unknown,
    exchange: Exchange,
  ) {
    const { id, method = '' } = message as {
      id?: string | number
      method?: string
    }
    if (
      id !== undefined &&
      Object.hasOwn(SHAPES, method) &&
      !SHAPES[method]!(message)
    ) {
      const error = {
        code: INVALID_PARAMS,
        message: `Invalid params of ${method}.`,
      }
      return Response.json({ jsonrpc: '2.0', id, error })
    }
    const server = serverOf(exchange)
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

  return async (request, message, exchange) => {
    if (await isLegacyRequest(request, message))
      return answerLegacy(request, message, exchange)
    exchanges.set(request, exchange)
    return handler.fetch(request, { parsedBody: message })
  }
}
