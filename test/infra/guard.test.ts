import { describe, expect, it } from 'vitest'
import { createGuard } from '../../src/infra/guard.ts'

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
