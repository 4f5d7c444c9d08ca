import { createMcpHandler, ProtocolError, ProtocolErrorCode, Server } from '@modelcontextprotocol/server'
import { type Exchange, type Leg, noting } from './exchange.ts'
import type { Introduction } from './introduction.ts'
import { NEVER_ASKED } from './neverAsked.ts'
import type { Toolbox } from './toolbox.ts'

/** The tools and the introduction are the same for everybody and change with a release only. */
const FOR_AN_HOUR = { ttlMs: 3_600_000, cacheScope: 'public' } as const

/** Revision 2026-07-28, one JSON answer to a request. */
export function createModernLeg({ serverInfo, instructions }: Introduction, toolbox: Toolbox): Leg {
  const exchanges = new WeakMap<Request, Exchange>()

  function serverOf(exchange: Exchange): Server {
    const server = new Server(serverInfo, {
      capabilities: { tools: {} },
      instructions,
      jsonSchemaValidator: NEVER_ASKED,
      cacheHints: { 'tools/list': FOR_AN_HOUR, 'server/discover': FOR_AN_HOUR },
    })
    server.setRequestHandler('tools/list', () => ({ tools: toolbox.listed }))
    server.setRequestHandler('tools/call', ({ params }) => {
      if (!toolbox.has(params.name))
        throw new ProtocolError(ProtocolErrorCode.InvalidParams, `Unknown tool: ${params.name}`)
      return noting(exchange, () => toolbox.call(params.name, exchange.sent, exchange))
    })
    return server
  }

  const handler = createMcpHandler(
    ({ requestInfo }) => {
      const exchange = requestInfo && exchanges.get(requestInfo)
      if (!exchange) throw new Error('A server was asked for without a request.')
      return serverOf(exchange)
    },
    { legacy: 'reject' },
  )
  return (request, message, exchange) => {
    exchanges.set(request, exchange)
    return handler.fetch(request, { parsedBody: message })
  }
}
