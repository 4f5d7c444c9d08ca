import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/**
 * A way to a database that can swallow everything on the connections it has, as a network does that
 * lost its way.
 */
export interface SwallowingProxy {
  /** The address of the database, by this way. */
  url: string
  /**
   * From now on nothing passes on the connections that are open; none of them is closed. New ones
   * pass.
   */
  swallow(): void
  /** From now on new connections are taken and pass nothing either, until `let`. */
  swallowNew(): void
  letNewPass(): void
  close(): Promise<void>
}

export async function startSwallowingProxy(databaseUrl: string): Promise<SwallowingProxy> {
  const target = new URL(databaseUrl)
  const pairs = new Set<[Socket, Socket]>()
  let swallowsNew = false
  const server = createServer(near => {
    const far = connect(Number(target.port || 5432), target.hostname)
    const pair: [Socket, Socket] = [near, far]
    pairs.add(pair)
    for (const [from, to] of [pair, [far, near] as const]) {
      from.on('error', () => {})
      from.on('close', () => {
        to.destroy()
        pairs.delete(pair)
      })
    }
    if (swallowsNew) return swallowAll(pair)
    near.pipe(far)
    far.pipe(near)
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const url = new URL(databaseUrl)
  url.hostname = '127.0.0.1'
  url.port = String((server.address() as AddressInfo).port)
  return {
    url: url.href,
    swallow: () => {
      for (const pair of pairs) swallowAll(pair)
    },
    swallowNew: () => {
      swallowsNew = true
    },
    letNewPass: () => {
      swallowsNew = false
    },
    close: async () => {
      for (const [near, far] of pairs) {
        near.destroy()
        far.destroy()
      }
      await new Promise(resolve => server.close(resolve))
    },
  }
}

/** Both ends stay open, and what either says is read and lost; not even a goodbye is passed on. */
function swallowAll([near, far]: [Socket, Socket]): void {
  for (const end of [near, far]) {
    end.unpipe()
    end.removeAllListeners('close')
    end.removeAllListeners('end')
    end.resume()
  }
}
