import { LRUCache } from 'lru-cache'
import type { CacheValidity } from '../../contract/rawJson.ts'
import type { DataState } from '../postgres/dataVersion.ts'

/** A value that was read in one statement, and how long it is valid. */
export interface Read<Value> extends CacheValidity {
  value: Value
}

/** Values that are valid as long as the data they were read from. Bounded; the least recently used go first. */
export interface VersionedCache<Value extends {}> {
  /** Whether there is a value, valid or not. */
  has(name: string): boolean
  /** The value that was read last, valid or not. */
  latest(name: string): Read<Value> | null
  /** The value that is valid for this state of the data, or null. */
  get(name: string, state: DataState): Read<Value> | null
  set(name: string, read: Read<Value>): void
}

interface CacheSettings<Value> {
  /** In bytes, or whatever `sizeOf` counts. */
  mostSize: number
  sizeOf(value: Value, name: string): number
}

export function createVersionedCache<Value extends {}>({
  mostSize,
  sizeOf,
}: CacheSettings<Value>): VersionedCache<Value> {
  const kept = new LRUCache<string, Read<Value>>({
    maxSize: mostSize,
    sizeCalculation: ({ value }, name) => sizeOf(value, name),
  })
  return {
    has: name => kept.has(name),
    latest: name => kept.get(name) ?? null,
    get: (name, state) => {
      const read = kept.get(name)
      return read && isValid(read, state) ? read : null
    },
    set: (name, read) => void kept.set(name, read),
  }
}

/** A clock that was set back outdates what was read before. */
function isValid(read: CacheValidity, state: DataState): boolean {
  return read.version >= state.version && state.now_ms < read.until_ms && read.now_ms <= state.now_ms
}
