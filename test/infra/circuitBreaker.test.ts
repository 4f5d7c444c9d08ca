import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { createCircuitBreaker } from '../../src/infra/overload/circuitBreaker.ts'

const SILENCE_MS = 5_000
const failWith = (code: string) => () => Promise.reject(Object.assign(new Error(code), { code }))
const connectionRefused = failWith('ECONNREFUSED')
const statementTimeout = failWith('57014')

const outcome = (work: Promise<unknown>) =>
  work.then(
    value => value,
    error => error.message,
  )

describe('a circuit breaker', () => {
  it('opens after five lost connections in a row, lets one call try, and closes when that one is answered', async () => {
    const breaker = createCircuitBreaker({ silenceMs: SILENCE_MS })
    let runs = 0
    const count = () => {
      runs++
      return connectionRefused()
    }
    for (let call = 0; call < 10; call++) expect(await outcome(breaker(count))).toMatch(/cannot be reached/)
    expect(runs).toBe(5)
    await sleep(350)
    const [first, second] = [breaker(() => sleep(50, 'answered')), breaker(async () => 'not tried')]
    expect(await outcome(second)).toMatch(/cannot be reached/)
    expect(await first).toBe('answered')
    expect(await breaker(async () => 'answered')).toBe('answered')
  })

  it('stays closed for everybody when the statements of one caller run into their timeout', async () => {
    const breaker = createCircuitBreaker({ silenceMs: SILENCE_MS })
    for (let call = 0; call < 20; call++) expect(await outcome(breaker(statementTimeout))).toMatch(/too long/)
    expect(await breaker(async () => 'answered')).toBe('answered')
  })

  it('reports a server that answers nothing at all', async () => {
    let reports = 0
    const breaker = createCircuitBreaker({ silenceMs: 100, onSilence: () => reports++ })
    expect(await outcome(breaker(() => sleep(1_000)))).toMatch(/cannot be reached/)
    expect(reports).toBe(1)
    const silent = outcome(breaker(() => sleep(1_000)))
    await breaker(async () => 'answered')
    expect(await silent).toMatch(/cannot be reached/)
    expect(reports, 'another statement was answered meanwhile').toBe(1)
  })
})
