import { once } from 'node:events'
import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Readiness } from './health.ts'
import { answerNodeRefusals } from './nodeRefusals.ts'

/** How long a stopping process goes on serving, so that whoever routes to it notices that it is not ready. */
const LINGER_MS = 700
const HARD_STOP_MS = 10_000

const LIMITS = {
  maxHeaderSize: 16_384,
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  connectionsCheckingInterval: 2_000,
}

/** Listens. @throws the listen error, such as EADDRINUSE. */
export async function listen(
  app: RequestListener,
  host: string,
  port: number,
  publicUrl: string,
): Promise<Server> {
  const server = createServer(LIMITS, app)
  answerNodeRefusals(server, publicUrl)
  server.listen(port, host)
  await once(server, 'listening')
  return server
}

/** The port that a server listens on (the one the system chose, when asked for 0). */
export function portOf(server: Server): number {
  return (server.address() as AddressInfo).port
}

/**
 * Stops without dropping a request: not ready at once, then a moment of serving with `Connection: close`, then no new
 * connections, then the idle ones, and at a deadline all of them. `server.close()` alone keeps serving kept-alive sockets.
 */
export async function drain(
  server: Server,
  readiness: Readiness,
  lingerMs: number = LINGER_MS,
): Promise<void> {
  readiness.stopping = true
  await new Promise(resolve => setTimeout(resolve, lingerMs))
  const closed = new Promise(resolve => server.close(resolve))
  const idle = setInterval(() => server.closeIdleConnections(), 100)
  const hardStop = setTimeout(() => server.closeAllConnections(), HARD_STOP_MS)
  await closed
  clearInterval(idle)
  clearTimeout(hardStop)
}
