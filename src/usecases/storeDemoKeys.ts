import { PLAN_IDS, type Plan } from '../contract/plans.ts'
import { derivedKey } from '../domain/apiKey.ts'
import type { Sql } from '../infra/postgres/database.ts'
import { createKey } from './createKey.ts'

export interface DemoKey {
  plan: Plan
  key: string
}

/** One key per plan, derived from the pepper: the same at every start, though no key is ever stored. */
export async function storeDemoKeys(sql: Sql, pepper: string): Promise<DemoKey[]> {
  const keys = PLAN_IDS.map(plan => ({ plan, key: derivedKey(pepper, `demo ${plan}`) }))
  for (const { plan, key } of keys) {
    await createKey(sql, pepper, key, {
      plan,
      owner: `demo ${plan}`,
      callsPerMonth: null,
      callsPerMinute: null,
    })
  }
  return keys
}
