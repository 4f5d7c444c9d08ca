// The load generator, in a process of its own: each message is a load, and each answer says what it saw.
import autocannon from 'autocannon'
import type { Call, Load, Seen } from './loadGenerator.ts'

process.on('message', (load: Load) => void run(load).then(seen => process.send!(seen)))

function run({ address, headers, calls, connections, seconds }: Load): Promise<Seen> {
  return new Promise((resolve, reject) => {
    let next = 0
    const times: number[] = []
    const started = performance.now()
    let last = started
    const options: autocannon.Options = {
      url: address,
      connections: Math.min(connections, calls.length),
      ...(seconds ? { duration: seconds } : { amount: calls.length }),
      requests: [
        { setupRequest: request => ({ ...request, ...requestOf(calls[next++ % calls.length]!, headers) }) },
      ],
    }
    const instance = autocannon(options, (error, result) => {
      if (error) return reject(error)
      const percentile = percentilesOf(times)
      resolve({
        calls: result.requests.total,
        seconds: (last - started) / 1000,
        p50: percentile(0.5),
        p95: percentile(0.95),
        p99: percentile(0.99),
        failures: result.non2xx + result.errors,
        statuses: Object.fromEntries(
          Object.entries(result.statusCodeStats ?? {}).map(([status, { count }]) => [status, count ?? 0]),
        ),
      })
    })
    instance.on('response', (_client, _status, _bytes, ms) => {
      times.push(ms)
      last = performance.now()
    })
  })
}

function requestOf(call: Call, headers: Record<string, string>): Call {
  return { ...call, headers: { ...headers, ...call.headers } }
}

/** Of the whole list, by rank; autocannon's own go to 97.5 %. */
function percentilesOf(times: number[]): (share: number) => number {
  const sorted = times.toSorted((a, b) => a - b)
  return share => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN
}
