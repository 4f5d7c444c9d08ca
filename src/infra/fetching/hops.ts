import type { Reading } from './jsonBody.ts'
import { conditionFor, type HopMemory, hopOf, NotModified } from './validators.ts'

/** A request that was counted before it is made; `end` corrects the count once its body is read. */
export interface CountedCall {
  /** How many bytes the budget has left. */
  mostBytes: number
  /** @param rateLimit the `X-RateLimit-Limit` of the answer. */
  end(bytes: number, rateLimit: number | null): Promise<void>
}

/** The rest of what a fetch works with. */
export interface FetchContext {
  /** Aborts the request; its reason is then thrown. */
  stop?: AbortSignal
  /** Counts a request. @throws FetchFailure when none may be made. */
  count?: () => Promise<CountedCall>
  hops?: HopMemory
}

export type FetchHop = (url: URL, secretHeaders?: Record<string, string>) => Promise<Response>

/** The hops of one fetch: each is counted before its request is made, and asks only for what is newer than the known hop. */
export function startWalk({ count, hops }: FetchContext, mostBytes: number, init: RequestInit) {
  let rateLimit: number | null = null
  let call: CountedCall | undefined
  let reading: Reading = { bytes: 0, mostBytes }
  const end = async () => {
    const ended = call
    call = undefined
    await ended?.end(reading.bytes, rateLimit)
  }
  const fetchHop: FetchHop = async (url, secretHeaders) => {
    await end()
    call = await count?.()
    reading = { bytes: 0, mostBytes: Math.min(mostBytes, call?.mostBytes ?? mostBytes) }
    const condition = hops ? conditionFor(url, hops.known) : {}
    const answer = await fetch(url, { ...init, headers: { ...init.headers, ...secretHeaders, ...condition } })
    const limit = answer.headers.get('x-ratelimit-limit') ?? ''
    rateLimit = /^[1-9]\d{0,8}$/.test(limit) ? Number(limit) : null
    if (answer.status === 304 && Object.keys(condition).length > 0) throw new NotModified()
    if (answer.status < 400) hops?.seen.push(hopOf(url, answer, hops.now))
    return answer
  }
  /** `reading` is that of the last hop, `end` corrects its count. */
  return { fetch: fetchHop, reading: () => reading, end }
}
