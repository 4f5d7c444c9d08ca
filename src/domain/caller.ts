import type { Plan } from '../contract/plans.ts'

/** Who a call is for. Its reads wait in the queue of its share of the connections, until its deadline. */
export interface Caller {
  /** The key that the call was charged to; null without a key. */
  key: { keyId: string; accountId: number; plan: Plan } | null
  /** Whose share of the connections the call uses: an account, a network address, or a part of the service itself. */
  share: string
  /** When the call began, by `performance.now()`, in milliseconds. Deadlines count from here. */
  startedAt: number
  /** Whether the client has disconnected. */
  hasLeft(): boolean
}

/** A caller for work of the service itself, such as account pages and readiness. It begins now. */
export function callerFor(share: string): Caller {
  return { key: null, share, startedAt: performance.now(), hasLeft: () => false }
}
