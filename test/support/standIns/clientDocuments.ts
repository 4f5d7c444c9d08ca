import { createServer as createProxy } from 'node:http'
import { createServer } from 'node:https'
import { connect } from 'node:net'
import { portOf } from '../service/portOf.ts'
import { newCertificate } from './certificate.ts'

/**
 * Somebody else's host of client documents, with a certificate that nobody signed. It is public for
 * whoever goes through its proxy.
 */
export interface ClientDocuments {
  /** An HTTP proxy (CONNECT) that leads every name here. */
  proxy: string
  /** Its address without the proxy, on this machine. */
  inside: string
  /** Publishes a document. @returns its URL. */
  publish(
    path: string,
    document: object | string,
    answer?: { status?: number; type?: string },
  ): string
  /** How often each path was read. */
  reads: Record<string, number>
  end(): Promise<unknown>
}

/** Null where no openssl is installed. */
export async function startClientDocuments(): Promise<ClientDocuments | null> {
  const certificate = newCertificate()
  if (!certificate) return null
  const answers = new Map<string, { status: number; type: string; body: string }>()
  const reads: Record<string, number> = {}
  const server = createServer(certificate, ({ url = '' }, response) => {
    reads[url] = (reads[url] ?? 0) + 1
    const { status, type, body } = answers.get(url) ?? { status: 404, type: 'text/plain', body: '' }
    response.writeHead(status, { 'content-type': type, location: '/elsewhere.json' }).end(body)
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const proxy = createProxy().on('connect', (_, socket) => {
    socket.write('HTTP/1.1 200 Connected\r\n\r\n')
    const onward = connect(portOf(server), '127.0.0.1')
    socket.on('error', () => {}).on('close', () => onward.destroy())
    onward.on('error', () => {}).on('close', () => socket.destroy())
    socket.pipe(onward).pipe(socket)
  })
  await new Promise<void>(resolve => proxy.listen(0, '127.0.0.1', resolve))
  const home = 'https://agent.example.com'
  return {
    proxy: `http://127.0.0.1:${portOf(proxy)}`,
    inside: `https://localhost:${portOf(server)}`,
    publish: (path, document, { status = 200, type = 'application/json' } = {}) => {
      const url = home + path
      const body =
        typeof document === 'string' ? document : JSON.stringify({ client_id: url, ...document })
      answers.set(path, { status, type, body })
      return url
    },
    reads,
    end: () =>
      Promise.all([server, proxy].map(each => new Promise(resolve => each.close(resolve)))),
  }
}
