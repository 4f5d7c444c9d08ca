import { describe, expect, it } from 'vitest'
import { ClientLeft } from '../../src/domain/errors.ts'
import { createGuard } from '../../src/infra/postgres/circuitBreaker.ts'

describe('a guard that lets only so much work run at once', () => {
  it('lets four times as much wait, refuses the rest with 503, and goes on afterwards', async () => {
    const guard = createGuard({ name: 'test', deadlineMs: 5_000, mostAtOnce: 2 })
    let running = 0
    let most = 0
    let finish = () => {}
    const finished = new Promise<void>(resolve => {
      finish = resolve
    })
    const work = async () => {
      most = Math.max(most, ++running)
      await finished
      running--
      return 'done'
    }
    const calls = Array.from({ length: 13 }, () => guard(work))
    const settled = Promise.allSettled(calls)
    await new Promise(resolve => setTimeout(resolve, 20))
    expect([running, most]).toEqual([2, 2])
    finish()
    const results = await settled
    const refused = results.filter(result => result.status === 'rejected').map(result => result.reason)
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(10)
    expect(refused.map(({ status, code, retryAfterSeconds }) => [status, code, retryAfterSeconds])).toEqual(
      Array(3).fill([503, 'internal_error', 1]),
    )
    expect(most).toBe(2)
    expect(await guard(async () => 'again')).toBe('again')
  })
})

describe('clients that leave', () => {
  const HALF_OPEN_AFTER_MS = 350
  const left = () => Promise.reject(new ClientLeft())
  const away = () => Promise.reject(Object.assign(new Error('gone'), { code: 'ECONNREFUSED' }))
  const outcome = (call: Promise<unknown>) =>
    call.then(
      answer => answer,
      error => error.status ?? error.name,
    )

  it('are no failures of the database, however many they are', async () => {
    const guard = createGuard({ name: 'test', deadlineMs: 5_000 })
    for (let call = 0; call < 20; call++) expect(await outcome(guard(left))).toBe('ClientLeft')
    expect(await outcome(guard(async () => 'answered'))).toBe('answered')
  })

  it('are no sign that a database is back that was away', async () => {
    const guard = createGuard({ name: 'test', deadlineMs: 5_000 })
    for (let call = 0; call < 5; call++) await outcome(guard(away))
    await new Promise(resolve => setTimeout(resolve, HALF_OPEN_AFTER_MS))
    expect(await outcome(guard(left))).toBe('ClientLeft')
    let hasRun = false
    const next = guard(async () => {
      hasRun = true
    })
    expect([await outcome(next), hasRun]).toEqual([503, false])
    await new Promise(resolve => setTimeout(resolve, HALF_OPEN_AFTER_MS))
    expect(await outcome(guard(async () => 'answered'))).toBe('answered')
  })
})
