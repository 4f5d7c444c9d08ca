import { expect, it } from 'vitest'
import { createLoad } from '../../src/infra/overload/loadShedding.ts'

/** A load whose clock the test turns. */
function start() {
  let time = 0
  const load = createLoad({ callsAtOnce: 400, maxQueueMs: 500 }, () => time)
  return {
    isOverloaded: load.isOverloaded,
    begin: (count: number) => {
      for (let call = 0; call < count; call++) load.begin()
    },
    end: (count: number) => {
      for (let call = 0; call < count; call++) load.end()
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

it.each<[isOverloaded: boolean, what: string, story: (load: ReturnType<typeof start>) => void]>([
  [false, '399 calls at once', load => load.begin(399)],
  [true, '400 calls at once, the most', load => load.begin(400)],
  [false, '400 calls of which one has ended', load => [load.begin(400), load.end(1)]],
  [false, 'a queue that lasts less than a second, however slow', load => [load.begin(300), load.pass(999)]],
  [true, 'a queue of 300 at 500 a second: 0.6 s', load => [load.begin(300), load.goOn(3, 500)]],
  [false, 'a queue of 300 at 1,000 a second: 0.3 s', load => [load.begin(300), load.goOn(3, 1_000)]],
  [true, 'a queue of 300 at 100 a second', load => [load.begin(300), load.goOn(3, 100)]],
  [
    false,
    'a quarter of the most, however slow',
    load => [load.begin(99), load.goOn(5, 2), load.pass(60_000)],
  ],
  [
    false,
    'a burst after a queue that has become short',
    load => [load.begin(300), load.goOn(3, 100), load.end(260), load.begin(340)],
  ],
])('the service is overloaded (%s) by %s', (isOverloaded, _what, story) => {
  const load = start()
  story(load)
  expect(load.isOverloaded()).toBe(isOverloaded)
})
