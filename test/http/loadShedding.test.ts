import { describe, expect, it } from 'vitest'
import { createLoad } from '../../src/http/middleware/loadShedding.ts'

describe('load shedding', () => {
  const LIMITS = { callsAtOnce: 400, maxQueueMs: 500 }

  /** A load whose clock the test turns. */
  function start() {
    let time = 0
    const load = createLoad(LIMITS, () => time)
    return {
      load,
      letIn: (count: number) => {
        for (let call = 0; call < count; call++) load.begin()
      },
      /** One in and one out at an even pace. */
      goOn: (seconds: number, perSecond: number) => {
        for (let call = 0; call < seconds * perSecond; call++) {
          time += 1_000 / perSecond
          load.end()
          load.begin()
        }
      },
      pass: (ms: number) => {
        time += ms
      },
    }
  }

  it('lets a burst in up to the most, and no further', () => {
    const { load, letIn } = start()
    letIn(399)
    expect(load.isOverloaded()).toBe(false)
    letIn(1)
    expect(load.isOverloaded()).toBe(true)
    load.end()
    expect(load.isOverloaded()).toBe(false)
  })

  it('lets a line be that does not last a second, however slow its pace', () => {
    const { load, letIn, pass } = start()
    letIn(300)
    pass(999)
    expect(load.isOverloaded()).toBe(false)
  })

  it('is full when a line has stood for a second that would take longer than it may', () => {
    const { load, letIn, goOn } = start()
    letIn(300)
    goOn(3, 500)
    expect(load.isOverloaded(), '300 calls at 500 a second take 0.6 s').toBe(true)
  })

  it('is not full when a line stands that is answered in time', () => {
    const { load, letIn, goOn } = start()
    letIn(300)
    goOn(3, 1_000)
    expect(load.isOverloaded(), '300 calls at 1,000 a second take 0.3 s').toBe(false)
  })

  it('always lets a quarter of the most in, however slow the pace', () => {
    const { load, letIn, goOn, pass } = start()
    letIn(99)
    goOn(5, 2)
    pass(60_000)
    expect(load.isOverloaded()).toBe(false)
  })

  it('takes bursts again when the line has been short', () => {
    const { load, letIn, goOn } = start()
    letIn(300)
    goOn(3, 100)
    expect(load.isOverloaded()).toBe(true)
    for (let call = 0; call < 260; call++) load.end()
    letIn(340)
    expect(load.isOverloaded()).toBe(false)
  })
})
