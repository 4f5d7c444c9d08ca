import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:net'

/**
 * A free port for the server on 127.0.0.1: the preferred one if it can be had.
 * Never one of those the system hands to outgoing connections (from 32768 on Linux, 49152 on macOS): a client that
 * retries while the server is down can be given that very port, connects to itself, and the server cannot come back.
 */
export async function freePort(preferred?: number): Promise<number> {
  if (preferred && (await isFree(preferred))) return preferred
  for (;;) {
    const port = randomInt(20_000, 32_768)
    if (await isFree(port)) return port
  }
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer()
  try {
    server.listen(port, '127.0.0.1')
    await once(server, 'listening')
    return true
  } catch {
    return false
  } finally {
    server.close()
  }
}
