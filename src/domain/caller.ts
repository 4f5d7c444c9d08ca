import type { Plan } from '../contract/plans.ts'

/**
 * How long after its arrival a call is answered, or refused. Exports have
 * longer.
 */
export const REQUEST_DEADLINE_MS = 2_000

/** Who a call is for. Its reads wait for a connection until its deadline. */
export interface Caller {
  /** The key that the call was charged to; null without a key. */
  key: { keyId: string; accountId: number; plan: Plan } | null
  /**
   * When the call arrived, by `performance.now()`, in milliseconds. Deadlines
   * count from here.
   */
  startedAt: number
  /** Whether the client has disconnected. */
  hasLeft(): boolean
}

/**
 * A caller for work of the service itself, such as account pages and readiness.
 * It begins now.
 */
export function serviceCaller(): Caller {
  return { key: null, startedAt: performance.now(), hasLeft: () => false }
}
