import type { AddressInfo } from 'node:net'

/** The port that a server listens on (the one the system chose, when asked for 0). */
export function portOf(server: { address(): unknown }) {
  return (server.address() as AddressInfo).port
}
