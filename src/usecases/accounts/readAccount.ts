import { type AccountKey, liveKeysOf } from '../../infra/accounts/accountKeys.ts'
import { type MonthOfCalls, usageThisMonth } from '../../infra/accounts/accountUsage.ts'
import { type AccountPlan, readPlan } from '../../infra/accounts/subscriptions.ts'
import type { Deps } from '../deps.ts'

/** What its holder sees of an account. */
export interface AccountView {
  plan: AccountPlan
  keys: AccountKey[]
  usage: MonthOfCalls
}

export async function readAccount({ db, guard, now }: Deps, accountId: number): Promise<AccountView> {
  const [plan, keys, usage] = await guard(() =>
    Promise.all([
      readPlan(db.read, accountId),
      liveKeysOf(db.read, accountId),
      usageThisMonth(db.read, accountId, now()),
    ]),
  )
  return { plan, keys, usage }
}
