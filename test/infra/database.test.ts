import { describe, expect, it } from 'vitest'
import { withGrowingPauses } from '../../src/infra/postgres/database.ts'

/** The seconds at which work ran that is requested every 3 s, as a stalled standby makes it. */
function runsWhile(isRequested: (second: number) => boolean, lastSecond: number): number[] {
  const runs: number[] = []
  let second = 0
  const run = withGrowingPauses(
    { least: 5_000, most: 60_000 },
    () => runs.push(second),
    () => second * 1_000,
  )
  for (; second <= lastSecond; second += 3) if (isRequested(second)) run()
  return runs
}

describe('the pauses between two replacements of silent connections', () => {
  it('grow while the new connections are silent too, up to a bound', () => {
    const runs = runsWhile(() => true, 400)
    expect(runs.slice(0, 6)).toEqual([0, 6, 18, 39, 81, 141])
    expect(runs.length).toBe(10)
  })

  it('are short again after a time without silence', () => {
    expect(runsWhile(second => second < 12 || second >= 90, 96)).toEqual([0, 6, 90, 96])
  })
})
