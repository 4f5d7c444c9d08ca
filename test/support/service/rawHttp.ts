import { Agent, request } from 'node:http'
import { connect } from 'node:net'

/** What came back. `headers` are in lower case, and repeated ones joined. */
export interface Answer {
  status: number
  headers: Record<string, string>
  body: string
  tookMs: number
}

export interface Asked {
  method: string
  /** Sent as it stands: not normalised, not encoded. */
  path: string
  headers?: Record<string, string | string[]>
  body?: string | Buffer
}

const agent = new Agent({ keepAlive: true, maxSockets: 16 })

/** One call whose target is sent exactly as it is written. */
export function send(
  address: string,
  { method, path, headers = {}, body }: Asked,
): Promise<Answer> {
  const startedAt = performance.now()
  const { hostname, port } = new URL(address)
  return new Promise((resolve, reject) => {
    const sent = request(
      { agent, hostname, port, method, path, headers, timeout: 120_000 },
      response => {
        const chunks: Buffer[] = []
        response.on('data', chunk => chunks.push(chunk))
        response.once('error', reject)
        response.once('end', () =>
          resolve({
            status: response.statusCode ?? 0,
            headers: Object.fromEntries(
              Object.entries(response.headers).map(([name, value]) => [name, String(value)]),
            ),
            body: Buffer.concat(chunks).toString(),
            tookMs: performance.now() - startedAt,
          }),
        )
      },
    )
    sent.once('timeout', () =>
      sent.destroy(new Error(`No answer to ${method} ${path.slice(0, 80)}`)),
    )
    sent.once('error', reject)
    sent.end(body)
  })
}

const MOST_SILENCE_MS = 1_500

/**
 * Writes bytes to a connection and reads until the server closes it, or is silent after a first
 * byte.
 * @param patienceMs how long the first byte is awaited.
 */
export function exchange(
  address: string,
  bytes: string | Buffer,
  patienceMs = 60_000,
): Promise<{ answers: Answer[]; tookMs: number }> {
  const startedAt = performance.now()
  const { hostname, port } = new URL(address)
  return new Promise(resolve => {
    const chunks: Buffer[] = []
    const socket = connect(Number(port), hostname, () => socket.write(bytes))
    socket.setTimeout(patienceMs, () => socket.destroy())
    socket.once('data', () => socket.setTimeout(Math.min(patienceMs, MOST_SILENCE_MS)))
    socket.on('data', chunk => chunks.push(chunk))
    // A reset after the answer is the server's way to refuse the rest.
    socket.on('error', () => {})
    let lastByteAt = startedAt
    socket.on('data', () => {
      lastByteAt = performance.now()
    })
    socket.once('close', () => {
      resolve({
        answers: answersIn(Buffer.concat(chunks).toString('latin1'), lastByteAt - startedAt),
        tookMs: lastByteAt - startedAt,
      })
    })
  })
}

function answersIn(text: string, tookMs: number): Answer[] {
  const answers: Answer[] = []
  let rest = text
  while (rest !== '') {
    const head = rest.slice(0, rest.indexOf('\r\n\r\n'))
    const [statusLine = '', ...lines] = head.split('\r\n')
    const headers: Record<string, string> = {}
    for (const line of lines) {
      const name = line.slice(0, line.indexOf(':')).toLowerCase()
      headers[name] = line.slice(line.indexOf(':') + 1).trim()
    }
    const { body, length } = bodyAt(rest.slice(head.length + 4), headers)
    answers.push({ status: Number(statusLine.split(' ')[1]), headers, body, tookMs })
    rest = rest.slice(head.length + 4 + length)
  }
  return answers
}

/** The body at the start of a text, and how many characters of it are its own. */
function bodyAt(text: string, headers: Record<string, string>): { body: string; length: number } {
  if (headers['transfer-encoding'] === undefined) {
    // Without a length, the end of the connection is the end of the body.
    const length = Number(
      headers['content-length'] ?? (headers.connection === 'close' ? text.length : 0),
    )
    return { body: text.slice(0, length), length }
  }
  let body = ''
  let at = 0
  for (;;) {
    const size = Number.parseInt(text.slice(at), 16)
    at = text.indexOf('\r\n', at) + 2 + (size || 0) + 2
    if (!(size > 0)) return { body, length: Math.min(at, text.length) }
    body += text.slice(at - 2 - size, at - 2)
  }
}
