import { PLAN_IDS, type Plan } from '../contract/plans.ts'
import { derivedKey, hashKey } from '../domain/apiKey.ts'
import { type NewKey, storeKey } from '../infra/metering/keys.ts'
import type { Sql } from '../infra/postgres/database.ts'

/**
 * Stores a key under its plan and owner; only its keyed hash and its last four
 * characters are kept. Returns its id.
 */
export async function createKey(
  sql: Sql,
  pepper: string,
  key: string,
  details: Omit<NewKey, 'hash' | 'hint'>,
) {
  return storeKey(sql, {
    ...details,
    hash: hashKey(pepper, key),
    hint: key.slice(-4),
  })
}

export type DemoKeys = Awaited<ReturnType<typeof storeDemoKeys>>

/**
 * Stores a key that is derived from the pepper: the same at every start,
 * although it is not stored itself.
 */
export async function storeDerivedKey(
  sql: Sql,
  pepper: string,
  plan: Plan,
  owner: string,
) {
  const key = derivedKey(pepper, owner)
  await createKey(sql, pepper, key, {
    plan,
    owner,
    callsPerMonth: null,
    callsPerMinute: null,
  })
  return { plan, key }
}

/** One key per plan. */
export async function storeDemoKeys(sql: Sql, pepper: string) {
  const keys = []
  for (const plan of PLAN_IDS)
    keys.push(await storeDerivedKey(sql, pepper, plan, `demo ${plan}`))
  return keys
}
