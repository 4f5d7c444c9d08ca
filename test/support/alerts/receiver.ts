import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

interface Received {
  path: string
  headers: Record<string, string>
  body: string
}

/** Answers a message; without an answer the receiver is silent. */
export type Answering = (
  response: ServerResponse,
  received: Received,
  request: IncomingMessage,
) => void

/** Somebody else's receiver of webhooks, on loopback. */
export interface Receiver {
  url: string
  received: Received[]
  /** How many connections were made to it. */
  connections(): number
  answer: Answering
  end(): Promise<void>
}

export const OK: Answering = response => response.writeHead(204).end()

export async function startReceiver(answer: Answering = OK): Promise<Receiver> {
  let connections = 0
  const server = createServer((request, response) => {
    let body = ''
    request.setEncoding('utf8').on('data', piece => {
      body += piece
    })
    request.on('end', () => {
      const received = {
        path: request.url!,
        headers: request.headers as Record<string, string>,
        body,
      }
      receiver.received.push(received)
      receiver.answer(response, received, request)
    })
  })
  server.on('connection', () => {
    connections++
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const receiver: Receiver = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    received: [],
    connections: () => connections,
    answer,
    end: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
  return receiver
}
