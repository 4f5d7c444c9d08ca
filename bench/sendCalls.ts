import { Agent, request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'

/** One request; without a body it is a GET. */
export interface Call {
  path: string
  headers?: Record<string, string>
  body?: string
}

const OK = 200
const UNAVAILABLE = 503
const MOST_ATTEMPTS = 20
const PAUSE_MS = 500

/**
 * Sends every call once, so many at a time, over connections that stay open; one that a busy
 * machine refuses is repeated.
 * @throws Error for the first answer that is not 200.
 */
export async function sendCalls(
  address: string,
  headers: Record<string, string>,
  calls: readonly Call[],
  callers: number,
): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: callers })
  const waiting = [...calls]
  const sendNext = async (): Promise<void> => {
    for (let call = waiting.shift(); call; call = waiting.shift()) {
      let { status, text } = await send(address, headers, call, agent)
      for (let attempt = 1; status === UNAVAILABLE && attempt < MOST_ATTEMPTS; attempt++) {
        await sleep(PAUSE_MS)
        ;({ status, text } = await send(address, headers, call, agent))
      }
      if (status !== OK)
        throw new Error(
          `${address}${call.path} answered ${status}: ${text.slice(0, 300)} ${call.body ?? ''}`,
        )
    }
  }
  await Promise.all(Array.from({ length: callers }, sendNext)).finally(() => agent.destroy())
}

/** Sends one call. */
export function send(
  address: string,
  headers: Record<string, string>,
  { path, body, headers: ofCall }: Call,
  agent?: Agent,
): Promise<{ status: number; text: string }> {
  const options = {
    agent,
    method: body === undefined ? 'GET' : 'POST',
    headers: { ...headers, ...ofCall },
  }
  return new Promise((resolve, reject) => {
    const sent = request(address + path, options, answer => {
      const pieces: Buffer[] = []
      answer.on('data', piece => pieces.push(piece))
      answer.on('error', reject)
      answer.on('end', () =>
        resolve({ status: answer.statusCode!, text: Buffer.concat(pieces).toString('utf8') }),
      )
    })
    sent.on('error', reject)
    sent.end(body)
  })
}
