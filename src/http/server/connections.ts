import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import { ipBlock } from '../../domain/ipBlock.ts'
import type { Logger } from '../../infra/log.ts'

/** How many connections one address holds at most; IPv6 by /56. */
const MOST_OF_ADDRESS = 256
/**
 * Where the system names no limit of open files: what macOS allows when it says
 * "unlimited" (OPEN_MAX).
 */
const ASSUMED_OPEN_FILES = 10_240
const WARNING_INTERVAL_MS = 60_000

const openConnections = new WeakMap<Server, Set<Socket>>()

/**
 * Bounds the connections of a server before it listens. In all, they take half
 * of the files that the process may open: the download of an archive reads a
 * file beside its connection, and the database and the child processes always
 * find a descriptor.
 * @param trustProxyHops above 0, all connections come from the address of a
 * proxy, so addresses are not bounded.
 */
// Why: all callers, while one address holds 1,200 connections:
// npx vitest run test/faults/connections.test.ts
export function boundConnections(
  server: Server,
  trustProxyHops: number,
  log: Logger,
): void {
  const openFiles = openFilesLimit() ?? ASSUMED_OPEN_FILES
  const most = Math.max(1, Math.floor(openFiles / 2))
  const mostOfAddress =
    trustProxyHops === 0 ? MOST_OF_ADDRESS : Number.POSITIVE_INFINITY
  const warn = seldom(log)
  const open = new Set<Socket>()
  const ofAddresses = new Map<string, Set<Socket>>()
  openConnections.set(server, open)
  server.maxConnections = most
  const ofOne =
    trustProxyHops === 0 ? `, ${MOST_OF_ADDRESS} of one address` : ''
  log.info(
    `at most ${most} connections at once${ofOne}: the limit of open files is ${openFiles}`,
  )

  server.on('drop', () => {
    warn(
      `all ${most} connections are taken, so others are closed. Raise the limit of open files (ulimit -n)`,
    )
  })
  server.on('connection', socket => {
    const address = ipBlock(socket.remoteAddress ?? '', 56)
    const held = ofAddresses.get(address) ?? new Set()
    if (held.size >= mostOfAddress) {
      warn(
        `an address has ${mostOfAddress} connections, so others of it are closed. ` +
          'If it is a proxy, set TRUST_PROXY_HOPS to the number of proxies',
      )
      // One that has sent nothing makes room, so that a caller behind the same
      // address still gets in.
      const silent = [...held].find(isSilent)
      if (!silent) return void socket.destroy()
      held.delete(silent)
      silent.destroy()
    }
    open.add(socket)
    ofAddresses.set(address, held.add(socket))
    socket.once('close', () => {
      open.delete(socket)
      held.delete(socket)
      if (held.size === 0) ofAddresses.delete(address)
    })
  })
}

/** Closes the connections that never sent a byte: Node counts them as busy. */
export function closeSilentConnections(server: Server): void {
  for (const socket of openConnections.get(server) ?? [])
    if (isSilent(socket)) socket.destroy()
}

function isSilent(socket: Socket): boolean {
  return socket.bytesRead === 0
}

/** How many files this process may open; null where the system does not say. */
function openFilesLimit(): number | null {
  // Otherwise the report resolves the name of every peer.
  Object.assign(process.report, { excludeNetwork: true })
  const { userLimits } = process.report.getReport() as {
    userLimits?: { open_files: { soft: number | string } }
  }
  const soft = Number(userLimits?.open_files.soft)
  return Number.isFinite(soft) ? soft : null
}

/** Warns once a minute at most. */
function seldom(log: Logger): (message: string) => void {
  let silentUntil = 0
  return message => {
    if (performance.now() < silentUntil) return
    silentUntil = performance.now() + WARNING_INTERVAL_MS
    log.warn(message)
  }
}
