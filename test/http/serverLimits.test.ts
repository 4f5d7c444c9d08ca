import type { Server } from 'node:http'
import { describe, expect, it } from 'vitest'
import { forOneTest } from '../support/run/shared.ts'
import { serviceFor, start, type TestService } from '../support/service/start.ts'

/** Every limit as Node has it, beside the defaults of Node that are not changed. */
const LIMITS = {
  timeout: 30_000,
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  // Longer than load balancers keep an idle connection.
  keepAliveTimeout: 65_000,
  connectionsCheckingInterval: 2_000,
  maxHeaderSize: 16_384,
  requireHostHeader: false,
  maxHeadersCount: null,
  maxRequestsPerSocket: 0,
}

function limitsOf(server: Server): object {
  const read = server as unknown as Record<string, unknown>
  return Object.fromEntries(Object.keys(LIMITS).map(name => [name, read[name]]))
}

function saidOf(service: TestService): RegExpExecArray | null {
  return /at most (\d+) connections at once(, 256 of one address)?: the limit of open files is (\d+)/.exec(
    service.log(),
  )
}

describe('the limits of a server that runs', () => {
  const api = serviceFor()

  it('are all taken by Node', () => {
    expect(limitsOf(api.server)).toEqual(LIMITS)
  })

  it('permit connections for half of the files that the process may open, and one line says so', () => {
    const { open_files } = (
      process.report.getReport() as { userLimits: { open_files: { soft: number } } }
    ).userLimits
    const [, connections, ofAddress, openFiles] = saidOf(api)!
    expect(Number(openFiles)).toBe(open_files.soft)
    expect(Number(connections)).toBe(api.server.maxConnections)
    expect(api.server.maxConnections).toBe(Math.floor(open_files.soft / 2))
    expect(ofAddress).toBeDefined()
  })

  it('are those of its settings', async () => {
    const other = await forOneTest(start({ settings: { keepAliveSeconds: 7, trustProxyHops: 1 } }))
    expect(limitsOf(other.server)).toEqual({ ...LIMITS, keepAliveTimeout: 7_000 })
    expect(saidOf(other)![2]).toBeUndefined()
  })
})
