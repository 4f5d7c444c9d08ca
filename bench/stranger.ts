// A caller without a key, in a process of its own: keeps so many requests pipelined on each of its connections, until it is ended.
import { connect } from 'node:net'

/** What a stranger sends. */
export interface Attack {
  address: string
  connections: number
  /** How many requests of a connection are unanswered at a time. */
  pipelined: number
  /** The bytes of one request. */
  request: string
}

process.once('message', ({ address, connections, pipelined, request }: Attack) => {
  const { hostname, port } = new URL(address)
  let answers = 0
  let refused = 0
  for (let n = 0; n < connections; n++) {
    const socket = connect(Number(port), hostname, () => socket.write(request.repeat(pipelined)))
    socket.setEncoding('latin1')
    socket.on('data', text => {
      const statuses = [...String(text).matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => status)
      answers += statuses.length
      refused += statuses.filter(status => status === '503').length
      if (statuses.length > 0) socket.write(request.repeat(statuses.length))
    })
    socket.on('error', () => {})
  }
  process.once('disconnect', () => process.exit())
  process.on('message', () => process.send!({ answers, refused }))
})
