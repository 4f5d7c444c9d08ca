import { describe, expect, it } from 'vitest'
import { refuseLostStatements } from '../../src/infra/postgres/sql.ts'
import { HAS_PGBOUNCER, startPgBouncer } from '../support/database/pgBouncer.ts'
import { serviceFor } from '../support/service/start.ts'

describe('the start of serve', () => {
  const api = serviceFor()

  it('goes on before a database', () =>
    expect(refuseLostStatements(api.databaseUrl)).resolves.toBeUndefined())

  it.skipIf(!HAS_PGBOUNCER)(
    'is refused before a PgBouncer in transaction mode without prepare=false',
    async () => {
      const pooler = await startPgBouncer(api.databaseUrl, 4)
      const careless = pooler.url.replace('?prepare=false', '')
      await expect(refuseLostStatements(careless)).rejects.toThrow('Add ?prepare=false to it')
      await expect(refuseLostStatements(pooler.url)).resolves.toBeUndefined()
      await pooler.end()
    },
  )
})
