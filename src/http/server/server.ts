import { once } from 'node:events'
import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import type { Readiness } from './health.ts'
import { answerNodeRefusals, screened, type Teller } from './parserErrors.ts'

/** How long a stopping process goes on serving, so that whoever routes to it notices that it is not ready. */
const LINGER_MS = 700
const HARD_STOP_MS = 10_000
/** A connection that was opened ahead and never used counts as busy for Node (20.20); it would hold the stop up to the last. */
const SILENT_STOP_MS = 1_000

const LIMITS = {
  // Node would answer a request without a Host by itself, without a body.
  requireHostHeader: false,
  maxHeaderSize: 16_384,
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  connectionsCheckingInterval: 2_000,
}

const connections = new WeakMap<Server, Set<Socket>>()

/** Listens. @throws the listen error, such as EADDRINUSE. */
export async function listen(
  app: RequestListener,
  host: string,
  port: number,
  teller: Teller,
): Promise<Server> {
  const server = createServer(LIMITS, screened(app, teller))
  answerNodeRefusals(server, teller)
  rememberConnections(server)
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
 * connections, then the idle ones, those that never sent a byte, and at a deadline all of them. `server.close()` alone
 * keeps serving kept-alive sockets.
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
  const silentStop = setTimeout(() => closeSilentConnections(server), SILENT_STOP_MS)
  const hardStop = setTimeout(() => server.closeAllConnections(), HARD_STOP_MS)
  await closed
  clearInterval(idle)
  clearTimeout(silentStop)
  clearTimeout(hardStop)
}

function rememberConnections(server: Server): void {
  const open = new Set<Socket>()
  connections.set(server, open)
  server.on('connection', socket => {
    open.add(socket)
    socket.once('close', () => open.delete(socket))
  })
}

function closeSilentConnections(server: Server): void {
  for (const socket of connections.get(server) ?? []) if (socket.bytesRead === 0) socket.destroy()
}
