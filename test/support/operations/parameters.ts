import { expect, it } from 'vitest'
import type { TestService } from '../service/start.ts'

/** 400 that names the parameter. @param queries by parameter. */
export function itRefusesParameters(
  api: TestService,
  path: string,
  queries: Record<string, string[]>,
  sentence: (name: string) => RegExp = name => new RegExp(`"${name}"`),
): void {
  const cases = Object.entries(queries).flatMap(([name, sent]) =>
    sent.map(query => [name, query] as const),
  )
  it.each(cases)('400 naming the parameter %s for ?%s', async (name, query) => {
    const { status, body, headers } = await api.get(`${path}?${query}`)
    expect([status, body.code]).toEqual([400, 'invalid_request'])
    expect(body.error).toMatch(sentence(name))
    expect(headers['content-disposition']).toBeUndefined()
  })
}
