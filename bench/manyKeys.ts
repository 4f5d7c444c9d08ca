import { readFileSync } from 'node:fs'
import { newKey } from '../src/domain/apiKey.ts'
import { openAdminConnection } from '../src/infra/postgres/database.ts'
import { createKey } from '../src/usecases/createKey.ts'

/** Makes keys without limits, each of an account of its own. @param pepperFile where the data folder keeps the pepper. */
export async function makeKeys(databaseUrl: string, pepperFile: string, count: number): Promise<string[]> {
  const pepper = readFileSync(pepperFile, 'utf8').trim()
  const sql = openAdminConnection(databaseUrl)
  const keys: string[] = []
  for (let n = 0; n < count; n++) {
    const key = newKey()
    const limits = { callsPerMonth: 1_000_000_000, callsPerMinute: 1_000_000_000 }
    await createKey(sql, pepper, key, { plan: 'enterprise', owner: `bench ${n}`, ...limits })
    keys.push(key)
  }
  await sql.end({ timeout: 5 })
  return keys
}
