import { describe, expect, it } from 'vitest'
import { createFairQueue } from '../../src/infra/overload/fairQueue.ts'

/** A queue whose work is recorded when it starts, and ends when the test releases it. */
function start(slots: number, slotsPerTenant: number) {
  const queue = createFairQueue(slots, () => slotsPerTenant)
  const started: string[] = []
  const running: (() => void)[] = []
  const enter = (tenant: string) =>
    queue.enter(tenant, release => {
      started.push(tenant)
      running.push(release)
    })
  return { queue, started, running, enter, endFirst: () => running.shift()?.() }
}

describe('a fair queue', () => {
  it('serves the shares in turn, whatever the length of their queues', () => {
    const { started, enter, endFirst } = start(2, 1)
    for (let n = 0; n < 60; n++) enter('a')
    for (let n = 0; n < 4; n++) enter('b')
    for (let n = 0; n < 2; n++) enter('c')
    for (let n = 0; n < 8; n++) endFirst()
    expect(started).toEqual(['a', 'b', 'a', 'b', 'c', 'a', 'b', 'c', 'a', 'b'])
  })

  it('serves a tenant in the order in which its work came', () => {
    const order: number[] = []
    const releases: (() => void)[] = []
    const queue = createFairQueue(1, () => 1)
    for (let n = 0; n < 3; n++)
      queue.enter('a', release => {
        order.push(n)
        releases.push(release)
      })
    for (let n = 0; n < 3; n++) releases.shift()?.()
    expect(order).toEqual([0, 1, 2])
  })

  it('never starts work that was taken out, and counts a second release of the same work as none', () => {
    const { queue, started, running, enter } = start(1, 1)
    enter('a')
    const leave = enter('b')
    leave()
    const [release] = running
    release?.()
    release?.()
    expect(started).toEqual(['a'])
    enter('c')
    enter('d')
    expect(started).toEqual(['a', 'c'])
    expect([queue.isAtLimit('c'), queue.isAtLimit('d')]).toEqual([true, false])
  })

  it('loses no work of a tenant that came back when earlier work is taken out after its end', () => {
    const { started, running, enter } = start(1, 1)
    const leaveFirst = enter('a')
    running.shift()?.()
    enter('b')
    enter('a')
    leaveFirst()
    running.shift()?.()
    expect(started).toEqual(['a', 'b', 'a'])
  })

  it('sheds the newest waiting work of the tenant with most, and nothing for one that has as much', () => {
    const { queue, started } = start(2, 1)
    const refused: string[] = []
    const enter = (tenant: string, name: string) =>
      queue.enter(
        tenant,
        () => void started.push(name),
        () => void refused.push(name),
      )
    for (const name of ['a1', 'a2', 'a3']) enter('a', name)
    enter('b', 'b1')
    expect([queue.shedForSmaller('b'), refused]).toEqual([true, ['a3']])
    expect([queue.shedForSmaller('a'), refused]).toEqual([false, ['a3']])
    expect(started).toEqual(['a1', 'b1'])
  })
})
