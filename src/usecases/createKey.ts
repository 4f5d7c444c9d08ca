import { PLAN_IDS } from '../contract/plans.ts'
import { derivedKey, hashKey } from '../domain/apiKey.ts'
import { type NewKey, storeKey } from '../infra/metering/keys.ts'
import type { Sql } from '../infra/postgres/database.ts'

/** Stores a key under its plan and owner; only its keyed hash and its last four characters are kept. Returns its id. */
export async function createKey(
  sql: Sql,
  pepper: string,
  key: string,
  details: Omit<NewKey, 'hash' | 'hint'>,
): Promise<string> {
  return storeKey(sql, { ...details, hash: hashKey(pepper, key), hint: key.slice(-4) })
}

export type DemoKeys = Awaited<ReturnType<typeof storeDemoKeys>>

/** The operator's own key, derived from the pepper: the same at every start, although it is not stored. */
export async function storeOperatorKey(sql: Sql, pepper: string) {
  const [plan, key] = ['enterprise', derivedKey(pepper, 'operator')] as const
  await createKey(sql, pepper, key, { plan, owner: 'operator', callsPerMonth: null, callsPerMinute: null })
  return { plan, key }
}

/** One key per plan, derived from the pepper: the same at every start, although no key is stored. */
export async function storeDemoKeys(sql: Sql, pepper: string) {
  const keys = PLAN_IDS.map(plan => ({ plan, key: derivedKey(pepper, `demo ${plan}`) }))
  for (const { plan, key } of keys) {
    const details = { plan, owner: `demo ${plan}`, callsPerMonth: null, callsPerMinute: null }
    await createKey(sql, pepper, key, details)
  }
  return keys
}
