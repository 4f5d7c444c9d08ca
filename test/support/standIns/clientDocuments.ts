import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { newCertificate } from './certificate.ts'

/** Somebody else's host of client documents, with a certificate that nobody signed. */
export interface ClientDocuments {
  /** Publishes a document. @returns its URL. */
  publish(path: string, document: object | string, answer?: { status?: number; type?: string }): string
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
  const home = `https://localhost:${(server.address() as AddressInfo).port}`
  return {
    publish: (path, document, { status = 200, type = 'application/json' } = {}) => {
      const url = home + path
      const body = typeof document === 'string' ? document : JSON.stringify({ client_id: url, ...document })
      answers.set(path, { status, type, body })
      return url
    },
    reads,
    end: () => new Promise(resolve => server.close(resolve)),
  }
}
