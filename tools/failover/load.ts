import { setTimeout as sleep } from 'node:timers/promises'

/** The status of an answer; 0 when there was none. */
export function statusOf(address: string, key = ''): Promise<number> {
  const headers = { authorization: `Bearer ${key}` }
  return fetch(address, { headers, signal: AbortSignal.timeout(10_000) }).then(
    answer => answer.arrayBuffer().then(() => answer.status),
    () => 0,
  )
}

/** Calls the serving processes without an end. */
export function startLoad(
  addresses: string[],
  callers: { key: string; count: number; pauseMs: number }[],
) {
  const calls: { key: string; status: number; startedAt: number; endedAt: number }[] = []
  const paths = ['sources', 'listings?per_page=5', 'listings?q=truck']
  let isStopped = false
  const caller = async (key: string, pauseMs: number, first: number) => {
    for (let n = first; !isStopped; n++, await sleep(pauseMs)) {
      const startedAt = performance.now()
      const status = await statusOf(`${addresses[n % 2]}/api/v1/${paths[n % 3]}`, key)
      calls.push({ key, status, startedAt, endedAt: performance.now() })
    }
  }
  const ended = callers.flatMap(({ key, count, pauseMs }) =>
    Array.from({ length: count }, (_, n) => caller(key, pauseMs, n)),
  )
  return {
    calls,
    isAnsweredAfter: (moment: number) => () =>
      calls.some(({ status, startedAt }) => status === 200 && startedAt > moment),
    /** The longest time between two answers of 200 that ended in this span, in milliseconds. */
    longestSilence: (from: number, to: number) => {
      const answers = calls.filter(
        ({ status, endedAt }) => status === 200 && endedAt > from && endedAt < to,
      )
      const ends = [from, ...answers.map(({ endedAt }) => endedAt).sort((a, b) => a - b), to]
      return Math.max(...ends.slice(1).map((end, n) => end - ends[n]!))
    },
    stop: () => {
      isStopped = true
      return Promise.all(ended)
    },
  }
}
