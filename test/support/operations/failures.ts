import { expect, it } from 'vitest'
import { outdateAnswers } from '../database/database.ts'
import type { TestService } from '../service/start.ts'
import { callsOf } from '../service/usage.ts'
import type { TestedOperation } from './commonTests.ts'

/** 500. */
export function itFailsPolitely(api: TestService, { path, plan, relation }: TestedOperation): void {
  it('500 internal_error for a fault of ours: nothing of it is told, and the call is given back', async () => {
    const owner = `fault ${path}`
    const key = await api.makeKey(plan, { owner })
    const hidden = `${relation}_hidden`
    await api.sql`alter table ${api.sql(relation)} rename to ${api.sql(hidden)}`
    await outdateAnswers(api.sql)
    const { status, body, headers, text } = await api.get(path, { key })
    await api.sql`alter table ${api.sql(hidden)} rename to ${api.sql(relation)}`

    expect([status, body.code]).toEqual([500, 'internal_error'])
    expect(Object.keys(body).sort()).toEqual(['code', 'docs', 'error'])
    expect(text).not.toMatch(/relation|exist|sql|postgres|select|42P01|node_modules|at file/i)
    expect(text).not.toContain(relation)
    expect(headers['ratelimit-limit']).toBeDefined()
    await expect.poll(() => callsOf(api.sql, owner)).toBe(0)
    expect((await api.get(path, { key })).status, 'when it is repaired').toBe(200)
  })
}
