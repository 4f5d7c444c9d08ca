import { setTimeout as sleep } from 'node:timers/promises'

/**
 * Makes `count` calls, at most `atOnce` of them at the same time. Returns their answers in the
 * order of the calls.
 */
export async function manyCalls<T>(
  count: number,
  atOnce: number,
  call: (index: number) => Promise<T>,
): Promise<T[]> {
  const answers: T[] = new Array(count)
  let next = 0
  const caller = async () => {
    while (next < count) {
      const index = next++
      answers[index] = await call(index)
    }
  }
  await Promise.all(Array.from({ length: atOnce }, caller))
  return answers
}

/** One answer under load. Times are milliseconds of `performance.now()`. */
export interface Sample {
  /** 0 when there was no answer; `fault` then says why. */
  status: number
  startedAt: number
  endedAt: number
  retryAfter: string | null
  body: string
  fault: string | null
}

/** Callers that call without a pause until they are stopped. */
export interface Load {
  samples: Sample[]
  /** Lets the calls in flight end, and returns all samples. */
  stop(): Promise<Sample[]>
}

/** Starts `callers` callers, each of which asks for what `next` names, again and again. */
export function startLoad(callers: number, key: string, next: () => string): Load {
  const samples: Sample[] = []
  let isStopped = false
  const caller = async () => {
    while (!isStopped) samples.push(await sampleOf(next(), key))
  }
  const ended = Promise.all(Array.from({ length: callers }, caller))
  return {
    samples,
    stop: async () => {
      isStopped = true
      await ended
      return samples
    },
  }
}

/** One call, timed. Never throws. */
export async function sampleOf(address: string, key: string): Promise<Sample> {
  const startedAt = performance.now()
  const headers = { authorization: `Bearer ${key}` }
  try {
    const response = await fetch(address, {
      headers,
      signal: AbortSignal.timeout(10_000 + ALLOWANCE_MS),
    })
    const body = await response.text()
    const { status } = response
    const retryAfter = response.headers.get('retry-after')
    return { status, startedAt, endedAt: performance.now(), retryAfter, body, fault: null }
  } catch (error) {
    const fault = String((error as Error).cause ?? error)
    return { status: 0, startedAt, endedAt: performance.now(), retryAfter: null, body: '', fault }
  }
}

/**
 * Added to every bound of time: no test fails because the machine is busy, only because something
 * hangs. Speeds are measured by `make bench`.
 */
export const ALLOWANCE_MS = 45_000

export const tookMs = ({ startedAt, endedAt }: Sample): number => endedAt - startedAt

/**
 * The calls that were broken off, or refused before the deadline that a busy machine may let pass.
 */
export const lostCalls = (samples: Sample[], deadlineMs: number): Sample[] =>
  samples.filter(sample => sample.status !== 200 && tookMs(sample) < deadlineMs)

/**
 * A busy machine may let the deadline of a call pass: it is repeated, as the 503 asks for. One that
 * always gets 503 fails all the same.
 */
export async function patiently<Answered extends { status: number }>(
  call: () => PromiseLike<Answered>,
  attempts = 4,
): Promise<Answered> {
  for (let attempt = 1; ; attempt++) {
    const answer = await call()
    if (answer.status !== 503 || attempt === attempts) return answer
    await sleep(500)
  }
}
