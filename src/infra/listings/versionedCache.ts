import { LRUCache } from 'lru-cache'
import type { CacheValidity } from '../../contract/rawJson.ts'
import type { DataState } from '../postgres/dataVersion.ts'

/** A value that was read in one statement, and how long it is valid. */
export interface Read<Value> extends CacheValidity {
  value: Value
}

/** Values that are valid as long as the data they were read from. Bounded; the least recently used go first. */
export type VersionedCache<Value extends {}> = ReturnType<typeof createVersionedCache<Value>>

/** @param mostSize in bytes, or whatever `sizeOf` counts: the values, where it is absent. */
export function createVersionedCache<Value extends {}>(
  mostSize: number,
  sizeOf: (value: Value, name: string) => number = () => 1,
) {
  const kept = new LRUCache<string, Read<Value>>({
    maxSize: mostSize,
    sizeCalculation: ({ value }, name) => sizeOf(value, name),
  })
  return {
    /** The value that was read last, valid or not. */
    latest: (name: string) => kept.get(name) ?? null,
    /** The value that is valid for this state of the data, or null. */
    get: (name: string, state: DataState) => {
      const read = kept.get(name)
      return read && isValid(read, state) ? read : null
    },
    set: (name: string, read: Read<Value>) => void kept.set(name, read),
  }
}

/** A clock that was set back outdates what was read before. */
function isValid(read: CacheValidity, state: DataState) {
  return read.version >= state.version && state.now_ms < read.until_ms && read.now_ms <= state.now_ms
}
