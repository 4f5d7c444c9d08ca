import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/** A way to one port of loopback, which can be cut as a network is: both sides stay connected and hear nothing. */
export type Link = Awaited<ReturnType<typeof openLink>>

export async function openLink(target: number) {
  const sockets = new Set<Socket>()
  let isCut = false
  const server = createServer(near => {
    const far = connect(target, '127.0.0.1')
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(from)
      from.on('data', data => void (isCut || to.write(data)))
      from.on('error', () => {})
      from.once('close', () => {
        sockets.delete(from)
        to.destroy()
      })
    }
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    cut: () => {
      isCut = true
    },
    /** Connections that missed something end, and are made again. */
    heal: () => {
      isCut = false
      for (const socket of sockets) socket.destroy()
    },
  }
}
