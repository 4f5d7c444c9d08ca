import { createMcpHandler, ProtocolError, ProtocolErrorCode, Server } from '@modelcontextprotocol/server'
import type { Introduction } from './introduction.ts'
import { type Exchange, NO_VALIDATOR, type Revision } from './protocol.ts'
import type { ToolRegistry } from './registry.ts'

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
