import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { type BoundedCall, CallBound } from '../../src/infra/overload/callBound.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

/** A bound whose calls say what happens to them, and end when the test closes them. */
function start(placesOfCaller: number) {
  const bound = new CallBound(placesOfCaller)
  const begun: string[] = []
  const refused: [name: string, isOwnFault: boolean][] = []
  const enter = (caller: string, name = caller) => {
    const progress = { isAnswering: false, isDone: false }
    const call: BoundedCall = {
      begin: () => begun.push(name),
      refuse: isOwnFault => refused.push([name, isOwnFault]),
      isAnswering: () => progress.isAnswering,
      isDone: () => progress.isDone,
    }
    const entered = bound.enter(caller, call)
    return {
      entered,
      progress,
      /** Its client leaves while the service works for it. */
      leave: () => bound.close(entered),
      /** It is answered. */
      end: () => {
        progress.isDone = true
        bound.close(entered)
        vi.advanceTimersByTime(0)
      },
    }
  }
  return { begun, refused, enter }
}

const many = <T>(count: number, make: (n: number) => T): T[] =>
  Array.from({ length: count }, (_, n) => make(n))

describe('the bound of calls', () => {
  it('lets a caller have its places, and others begin at once beside it', () => {
    const { begun, enter } = start(2)
    many(60, () => enter('a'))
    many(2, () => enter('b'))
    expect(begun).toEqual(['a', 'a', 'b', 'b'])
  })

  it('serves callers in turn, whatever the length of their queues, and each in the order of its calls', () => {
    const { begun, enter } = start(1)
    const full = many(4, n => enter(`full ${n}`))
    const [a1, a2] = many(3, n => enter('a', `a${n + 1}`))
    const [b1] = many(2, n => enter('b', `b${n + 1}`))
    for (const call of [full[0]!, full[1]!, a1!, b1!, a2!]) call.end()
    expect(begun.slice(4)).toEqual(['a1', 'b1', 'a2', 'b2', 'a3'])
  })

  it('works for four callers that use all of their places, and for the others when one ends', () => {
    const { begun, enter } = start(2)
    const calls = many(8, n => enter(`${n >> 1}`))
    enter('a')
    enter('b')
    expect(begun).toHaveLength(8)
    calls[0]!.end()
    calls[5]!.end()
    expect(begun.slice(8)).toEqual(['a', 'b'])
  })

  it('refuses a call whose turn does not come within about a second, and says whose calls took the places', () => {
    const { begun, refused, enter } = start(2)
    many(8, n => enter(`${n >> 1}`))
    enter('0', 'own')
    enter('a', 'foreign')
    vi.advanceTimersByTime(700)
    expect(refused).toEqual([])
    vi.advanceTimersByTime(600)
    expect(refused.sort()).toEqual([
      ['foreign', false],
      ['own', true],
    ])
    expect(begun).toHaveLength(8)
  })

  it('never begins a call whose client left while it waited', () => {
    const { begun, refused, enter } = start(1)
    const first = enter('a', 'first')
    enter('a', 'left').leave()
    vi.advanceTimersByTime(0)
    first.end()
    enter('a', 'next')
    vi.advanceTimersByTime(5_000)
    expect([begun, refused]).toEqual([['first', 'next'], []])
  })

  it('gives the places of a call on when its client reads slowly: to others at once, to its caller after 2 s', () => {
    const { begun, enter } = start(1)
    const slow = many(4, n => enter(`slow ${n}`))
    for (const { progress } of slow) progress.isAnswering = true
    enter('a')
    enter('slow 0', 'own')
    vi.advanceTimersByTime(100)
    expect(begun.slice(4)).toEqual(['a'])
    expect(slow[0]!.entered.state).toBe('answering')
    vi.advanceTimersByTime(2_000)
    expect(slow[0]!.entered.state).toBe('gone')
    enter('slow 0', 'again')
    expect(begun.at(-1)).toBe('again')
  })

  it.each([
    ['when its work ends', true, 100],
    ['after 2 s', false, 2_100],
  ])('gives the place of a client that has left on %s', (_when, isDone, afterMs) => {
    const { begun, enter } = start(1)
    const left = enter('a', 'left')
    left.leave()
    expect(left.entered.state).toBe('at work')
    left.progress.isDone = isDone
    vi.advanceTimersByTime(afterMs)
    enter('a', 'next')
    expect(begun).toEqual(['left', 'next'])
    expect(vi.getTimerCount()).toBe(0)
  })

  it('counts the second end of a call as none', () => {
    const { begun, enter } = start(1)
    const first = enter('a', 'first')
    first.end()
    first.end()
    many(2, n => enter('a', `next ${n}`))
    expect(begun).toEqual(['first', 'next 0'])
  })
})
