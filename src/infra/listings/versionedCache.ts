import { LRUCache } from 'lru-cache'
import type { CacheValidity } from '../../contract/rawJson.ts'
import type { Audience } from '../../domain/audience.ts'
import type { DataState, ReadDataState } from '../postgres/dataVersion.ts'

/** What was read in one statement, and how long it holds. */
export interface Read<Value> extends CacheValidity {
  value: Value
}

/** Values that hold as long as the data they were read from. Bounded; the least recently used go first. */
export interface ReadCache<Value extends {}> {
  /** Whether anything is known, which may hold no more. */
  has(name: string): boolean
  /** What was read last, whether or not it still holds. */
  latest(name: string): Read<Value> | null
  /** What is known for this state of the data, or null. */
  get(name: string, state: DataState): Read<Value> | null
  /**
   * What is known and holds, or what `read` reads; of those who ask for the same thing at once, one reads. Only of what is known
   * is it worth asking how far the data is; `read` is told it then.
   * @param audience those who wait for the statements of `read`; who shares the read joins them.
   */
  recall<Found extends Read<Value> | null>(
    name: string,
    dataState: ReadDataState,
    read: (asOf?: DataState) => Promise<Found>,
    audience?: Audience | null,
  ): Promise<Read<Value> | Found>
  set(name: string, read: Read<Value>): void
}

interface CacheSettings<Value> {
  /** In bytes, or whatever `sizeOf` counts. */
  mostSize: number
  sizeOf(value: Value, name: string): number
}

export function createReadCache<Value extends {}>({
  mostSize,
  sizeOf,
}: CacheSettings<Value>): ReadCache<Value> {
  const kept = new LRUCache<string, Read<Value>>({
    maxSize: mostSize,
    sizeCalculation: ({ value }, name) => sizeOf(value, name),
  })
  const reading = new Map<string, { read: Promise<Read<Value> | null>; audience: Audience | null }>()

  function get(name: string, state: DataState): Read<Value> | null {
    const read = kept.get(name)
    return read && holds(read, state) ? read : null
  }

  async function recall<Found extends Read<Value> | null>(
    name: string,
    dataState: ReadDataState,
    read: (asOf?: DataState) => Promise<Found>,
    audience: Audience | null = null,
  ): Promise<Read<Value> | Found> {
    if (!kept.has(name)) return keep(name, read())
    const state = await dataState()
    const known = get(name, state)
    if (known !== null) return known
    const turn = `${state.version} ${name}`
    const begun = reading.get(turn)
    // One that nobody waits for is being ended.
    if (begun && !begun.audience?.isGone) {
      const leave = begun.audience?.join(audience)
      const made = await begun.read.finally(leave)
      if (made && isFresh(made, state)) return made
    }
    const own = {
      audience,
      read: read(state).finally(() => reading.get(turn) === own && reading.delete(turn)),
    }
    reading.set(turn, own)
    return keep(name, own.read)
  }

  async function keep<Found extends Read<Value> | null>(name: string, read: Promise<Found>): Promise<Found> {
    const made = await read
    if (made) kept.set(name, made)
    return made
  }

  return {
    has: name => kept.has(name),
    latest: name => kept.get(name) ?? null,
    get,
    recall,
    set: (name, read) => void kept.set(name, read),
  }
}

/** A clock that was set back outdates what was read before. */
function holds(read: CacheValidity, state: DataState): boolean {
  return isFresh(read, state) && read.now_ms <= state.now_ms
}

/** The state is the oldest that will do: what is read while a caller waits is newer. */
function isFresh(read: CacheValidity, state: DataState): boolean {
  return read.version >= state.version && state.now_ms < read.until_ms
}
