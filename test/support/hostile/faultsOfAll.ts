import { manyCalls } from '../service/load.ts'
import type { Answer, Asked } from '../service/rawHttp.ts'
import type { TestService } from '../service/start.ts'

/**
 * Makes each call and checks its answer; returns every violation with its call, so that a test
 * expects an empty list.
 */
export async function faultsOfAll<T>(
  api: TestService,
  cases: T[],
  ask: (one: T) => Asked,
  check: (answer: Answer, one: T) => string[],
): Promise<string[]> {
  const found = await manyCalls(cases.length, 8, async index => {
    const one = cases[index]!
    const asked = ask(one)
    const faults = check(await api.ask(asked), one)
    return faults.map(fault => `${asked.method} ${asked.path.slice(0, 120)}: ${fault}`)
  })
  return found.flat()
}
