import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { CircuitBreaker } from '../../src/infra/overload/circuitBreaker.ts'

const SILENCE_MS = 5_000
/** Longer than the circuit stays open. */
const PAUSE_MS = 350
const failWith = (code: string) => () => Promise.reject(Object.assign(new Error(code), { code }))
const connectionRefused = failWith('ECONNREFUSED')
const statementTimeout = failWith('57014')
const answered = async () => 'answered'

const AWAY = 'The database cannot be reached for a moment. Try again shortly.'

const outcome = (work: Promise<unknown>) =>
  work.then(
    value => value,
    error => error.message,
  )

/** A circuit breaker whose circuit five lost connections have opened. */
async function opened() {
  const breaker = new CircuitBreaker({ silenceMs: SILENCE_MS })
  for (let call = 0; call < 5; call++) await outcome(breaker.run(connectionRefused))
  return breaker
}

describe('a circuit breaker', () => {
  it('opens after five lost connections in a row, lets one call try, and closes when that one is answered', async () => {
    const breaker = new CircuitBreaker({ silenceMs: SILENCE_MS })
    let runs = 0
    const count = () => {
      runs++
      return connectionRefused()
    }
    for (let call = 0; call < 10; call++) expect(await outcome(breaker.run(count))).toBe(AWAY)
    expect(runs).toBe(5)
    await sleep(PAUSE_MS)
    const [first, second] = [breaker.run(() => sleep(50, 'answered')), breaker.run(answered)]
    expect(await outcome(second)).toBe(AWAY)
    expect(await first).toBe('answered')
    expect(await breaker.run(answered)).toBe('answered')
  })

  it('refuses again at once after a try that fails, and closes after one that fails with an answer of the database', async () => {
    const breaker = await opened()
    await sleep(PAUSE_MS)
    expect(await outcome(breaker.run(connectionRefused))).toBe(AWAY)
    expect(breaker.refusal()).toMatchObject({ status: 503, retryAfterSeconds: 1, message: AWAY })
    await sleep(PAUSE_MS)
    expect(breaker.refusal()).toBeNull()
    expect(await outcome(breaker.run(statementTimeout))).toMatch(/too long/)
    expect(await breaker.run(answered)).toBe('answered')
  })

  it('opens by the failure of work that five calls wait for, and by five calls that gave up', async () => {
    const shared = new CircuitBreaker({ silenceMs: SILENCE_MS })
    await outcome(shared.run(connectionRefused, 4))
    expect(shared.refusal()).toBeNull()
    await shared.run(answered)
    await outcome(shared.run(connectionRefused, 5))
    expect(shared.refusal()).not.toBeNull()
    const waiting = new CircuitBreaker({ silenceMs: SILENCE_MS })
    for (let call = 0; call < 5; call++) {
      expect(waiting.refusal()).toBeNull()
      expect(waiting.gaveUp().message).toBe(AWAY)
    }
    expect(waiting.refusal()).not.toBeNull()
  })

  it('learns nothing from work that began before the circuit opened', async () => {
    const breaker = new CircuitBreaker({ silenceMs: SILENCE_MS })
    const early = outcome(breaker.run(() => sleep(100, 'answered')))
    const late = outcome(breaker.run(() => sleep(PAUSE_MS + 50).then(connectionRefused)))
    await outcome(breaker.run(connectionRefused, 5))
    expect(await early).toBe('answered')
    expect(breaker.refusal()).not.toBeNull()
    await sleep(PAUSE_MS - 100)
    const trying = breaker.run(() => sleep(200, 'answered'))
    expect(await late).toBe(AWAY)
    expect(await trying).toBe('answered')
    expect(breaker.refusal()).toBeNull()
  })

  it('stays closed for everybody when the statements of one caller run into their timeout', async () => {
    const breaker = new CircuitBreaker({ silenceMs: SILENCE_MS })
    for (let call = 0; call < 20; call++)
      expect(await outcome(breaker.run(statementTimeout))).toMatch(/too long/)
    expect(await breaker.run(answered)).toBe('answered')
  })

  it('reports a server that answers nothing at all', async () => {
    let reports = 0
    const breaker = new CircuitBreaker({ silenceMs: 100, onSilence: () => reports++ })
    expect(await outcome(breaker.run(() => sleep(1_000)))).toBe(AWAY)
    expect(reports).toBe(1)
    const silent = outcome(breaker.run(() => sleep(1_000)))
    await breaker.run(answered)
    expect(await silent).toBe(AWAY)
    expect(reports, 'another statement was answered meanwhile').toBe(1)
  })
})
