import { type AccountKey, liveKeysOf } from '../../infra/accounts/ownedKeys.ts'
import { type AccountPlan, readPlan } from '../../infra/accounts/subscriptions.ts'
import { type MonthOfCalls, usageThisMonth } from '../../infra/accounts/usage.ts'
import type { Deps } from '../deps.ts'

/** What the owner of an account sees of it. */
export interface AccountView {
  plan: AccountPlan
  keys: AccountKey[]
  usage: MonthOfCalls
}

export async function readAccount({ primary, now }: Deps, accountId: number): Promise<AccountView> {
  const [plan, keys, usage] = await primary(sql =>
    Promise.all([
      readPlan(sql, accountId),
      liveKeysOf(sql, accountId),
      usageThisMonth(sql, accountId, now()),
    ]),
  )
  return { plan, keys, usage }
}
