import { describe, expect, it } from 'vitest'
import { refuseLostStatements } from '../../src/infra/postgres/sql.ts'
import { serviceFor } from '../support/service/start.ts'

describe('the start of serve', () => {
  const api = serviceFor()

  it('goes on before a database', () =>
    expect(refuseLostStatements(api.databaseUrl)).resolves.toBeUndefined())
})
