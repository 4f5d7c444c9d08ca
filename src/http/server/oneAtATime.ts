import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/** Requests that wait behind others of their connection, in the whole process: about 3 kB each. */
const MOST_PIPELINED = 20_000

/** The latest response of a connection, and how many requests wait behind it. */
interface Line {
  latest: ServerResponse
  waiting: number
}

/**
 * Serves the requests of a connection one after the other; Node would start all that have been pipelined (RFC 9112, 9.3.2). No more is read
 * from a connection while a request of it waits. A connection that is the last straw is closed.
 */
// Earns: callers beside a connection with 1,000 pipelined requests; npx vitest run test/hostile/entrance.test.ts -t pipelined
export function oneAtATime(listener: RequestListener): RequestListener {
  const lines = new WeakMap<Socket, Line>()
  let pipelined = 0

  function wait(line: Line, req: IncomingMessage, res: ServerResponse): void {
    const { socket } = req
    const earlier = line.latest
    line.latest = res
    line.waiting++
    pipelined++
    socket.pause()
    earlier.once('close', () => {
      // The connection has ended, or ends with the earlier response.
      if (socket.destroyed || socket.writableEnded) return
      line.waiting--
      pipelined--
      if (line.waiting === 0) socket.resume()
      // In a later turn of the event loop, so that other connections are read before.
      setImmediate(() => listener(req, res))
    })
    if (pipelined > MOST_PIPELINED) socket.destroy()
  }

  function lineOf(socket: Socket, latest: ServerResponse): Line {
    const line = { latest, waiting: 0 }
    lines.set(socket, line)
    // Node resumes the connection after every request that it has parsed or answered.
    socket.on('resume', () => {
      if (line.waiting > 0) socket.pause()
    })
    socket.once('close', () => {
      pipelined -= line.waiting
    })
    return line
  }

  return (req, res) => {
    const line = lines.get(req.socket)
    if (line && !line.latest.closed) return wait(line, req, res)
    if (line) line.latest = res
    else lineOf(req.socket, res)
    listener(req, res)
  }
}
