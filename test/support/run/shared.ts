import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll } from 'vitest'

const ENDS = ['end', 'close', 'drop', 'kill'] as const
type Begun = { [Name in (typeof ENDS)[number]]: Record<Name, () => unknown> }[(typeof ENDS)[number]]

/** What the tests of a file, or of a `describe`, share: begun before the first of them and ended after the last. */
export function shared<T extends Begun>(begin: () => T | Promise<T>): T {
  let current: T | undefined
  beforeAll(async () => {
    current = await begin()
  })
  afterAll(async () => {
    const begun = (current ?? {}) as Record<string, () => unknown>
    await begun[ENDS.find(name => name in begun) ?? '']?.()
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
