import { hashKey } from '../domain/apiKey.ts'
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
