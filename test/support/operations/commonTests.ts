import type { Plan } from '../../../src/contract/plans.ts'
import type { TestService } from '../service/start.ts'
import { itAnswersAtOneAddress, itAnswersHead } from './addresses.ts'
import { itFailsPolitely } from './failures.ts'
import { itAsksForAKey, itKeepsToThePlan } from './keys.ts'
import { itKeepsToTheLimits } from './limits.ts'
import { itRefusesInOrder } from './refusalOrder.ts'

/** An operation as a caller meets it. */
export interface TestedOperation {
  /** An address that answers 200. */
  path: string
  /** The least plan that is let in there. */
  plan: Plan
  /** A table or view that its query needs. */
  relation: string
}

/** The plans, each including those before it. */
export const LADDER: Plan[] = ['free', 'pro', 'pro_plus', 'enterprise']

/**
 * The tests of what every operation behind a key has in common. Call it inside the `describe` of
 * the operation.
 */
export function itHasWhatEveryOperationHas(api: TestService, operation: TestedOperation): void {
  itAnswersHead(api, operation)
  itAnswersAtOneAddress(api, operation)
  itAsksForAKey(api, operation)
  itKeepsToTheLimits(api, operation)
  itKeepsToThePlan(api, operation)
  itFailsPolitely(api, operation)
  itRefusesInOrder(api, operation)
}
