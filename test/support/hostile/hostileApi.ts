import type { Plan } from '../../../src/contract/plans.ts'
import { newKey } from '../../../src/domain/apiKey.ts'
import { openAdminConnection, type Sql } from '../../../src/infra/postgres/database.ts'
import { createKey } from '../../../src/usecases/createKey.ts'
import { freshDatabase } from '../database/database.ts'
import { manyCalls } from '../service/load.ts'
import { type Answer, type Asked, send } from '../service/rawHttp.ts'
import { type RunningService, startService } from '../service/service.ts'
import { PEPPER } from '../service/testSettings.ts'

/** A service behind the real server, on a database of its own, with one key that may do everything. */
export interface HostileApi {
  service: RunningService
  sql: Sql
  key: string
  /** One call as it is written, with the key unless `authorization` says otherwise. */
  ask(asked: Asked): Promise<Answer>
  /** Makes each call and checks its answer; returns every violation with its call, so that a test expects an empty list. */
  faultsOfAll<T>(
    cases: T[],
    ask: (one: T) => Asked,
    check: (answer: Answer, one: T) => string[],
  ): Promise<string[]>
  close(): Promise<void>
}

/** Starts one. The key has more calls than any test makes. */
export async function startHostileApi(): Promise<HostileApi> {
  const database = await freshDatabase()
  const sql = openAdminConnection(database.url)
  const service = await startService(database.url)
  const key = newKey()
  const plan: Plan = 'enterprise'
  await createKey(sql, PEPPER, key, {
    plan,
    owner: null,
    callsPerMonth: 10_000_000,
    callsPerMinute: 10_000_000,
  })
  const ask = ({ headers = {}, ...asked }: Asked) => {
    return send(service.address, { ...asked, headers: { authorization: `Bearer ${key}`, ...headers } })
  }
  return {
    service,
    sql,
    key,
    ask,
    faultsOfAll: async (cases, asking, check) => {
      const found = await manyCalls(cases.length, 8, async index => {
        const one = cases[index]!
        const asked = asking(one)
        const faults = check(await ask(asked), one)
        return faults.map(fault => `${asked.method} ${asked.path.slice(0, 120)}: ${fault}`)
      })
      return found.flat()
    },
    close: async () => {
      await service.close()
      await sql.end()
      await database.drop()
    },
  }
}
