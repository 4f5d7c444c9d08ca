import { afterAll, beforeAll } from 'vitest'

/** What the tests of a file, or of a `describe`, share: begun before the first of them and ended after the last. */
export function shared<T extends object>(begin: () => Promise<T>, end: (begun: T) => unknown): T {
  const held = {} as T
  beforeAll(async () => {
    Object.assign(held, await begin())
  })
  afterAll(() => end(held))
  return held
}
