import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, onTestFinished } from 'vitest'

const ENDS = ['end', 'close', 'drop', 'kill', 'stop'] as const
type Begun = { [Name in (typeof ENDS)[number]]: Record<Name, () => unknown> }[(typeof ENDS)[number]]

function ending(begun: Begun): unknown {
  const name = ENDS.find(name => name in begun)!
  return (begun as Record<string, () => unknown>)[name]!()
}

/** What one test uses, ended after it. */
export async function forOneTest<T extends Begun>(begins: T | Promise<T>): Promise<T> {
  const begun = await begins
  onTestFinished(async () => void (await ending(begun)))
  return begun
}

/**
 * What the tests of a file, or of a `describe`, share: begun before the first of them and ended
 * after the last.
 */
export function shared<T extends Begun>(begin: () => T | Promise<T>): T {
  let current: T | undefined
  beforeAll(async () => {
    current = await begin()
  })
  afterAll(async () => {
    if (current) await ending(current)
  })
  // A connection to a database is a function.
  return new Proxy((() => {}) as unknown as T, {
    apply: (_, self, sent) => Reflect.apply(current as unknown as () => unknown, self, sent),
    get: (_, name) => Reflect.get(current!, name),
    set: (_, name, value) => Reflect.set(current!, name, value),
  })
}

/** A folder for the tests of a file, or of a `describe`, deleted after the last. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'surplus-test-'))
  afterAll(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}
