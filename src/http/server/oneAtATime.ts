import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/** Requests that wait behind others of their connection, in the whole process: about 3 kB each. */
const MOST_PIPELINED = 20_000

/** The latest response of a connection, and how many requests wait behind it. */
interface ConnectionQueue {
  latest: ServerResponse
  waiting: number
}

/**
 * Serves the requests of a connection one after the other; Node would start all that have been pipelined (RFC 9112, 9.3.2). No more is read
 * from a connection while a request of it waits. A connection that adds to MOST_PIPELINED waiting requests is closed.
 */
// Earns: callers beside a connection with 1,000 pipelined requests; npx vitest run test/hostile/entrance.test.ts -t pipelined
export function oneAtATime(listener: RequestListener): RequestListener {
  const queues = new WeakMap<Socket, ConnectionQueue>()
  let pipelined = 0

  function wait(queue: ConnectionQueue, req: IncomingMessage, res: ServerResponse): void {
    const { socket } = req
    const earlier = queue.latest
    queue.latest = res
    queue.waiting++
    pipelined++
    socket.pause()
    earlier.once('close', () => {
      // The connection has ended, or ends with the earlier response.
      if (socket.destroyed || socket.writableEnded) return
      queue.waiting--
      pipelined--
      if (queue.waiting === 0) socket.resume()
      // In a later turn of the event loop, so that other connections are read before.
      setImmediate(() => listener(req, res))
    })
    if (pipelined > MOST_PIPELINED) socket.destroy()
  }

  function queueOf(socket: Socket, latest: ServerResponse): ConnectionQueue {
    const queue = { latest, waiting: 0 }
    queues.set(socket, queue)
    // Node resumes the connection after every request that it has parsed or answered.
    socket.on('resume', () => {
      if (queue.waiting > 0) socket.pause()
    })
    socket.once('close', () => {
      pipelined -= queue.waiting
    })
    return queue
  }

  return (req, res) => {
    const queue = queues.get(req.socket)
    if (queue && !queue.latest.closed) return wait(queue, req, res)
    if (queue) queue.latest = res
    else queueOf(req.socket, res)
    listener(req, res)
  }
}
