import { expect, it } from 'vitest'
import { refusalOf, type TestService } from '../service/start.ts'
import { LADDER, type TestedOperation } from './commonTests.ts'

/**
 * Two or three faults in one request, and the one that answers. A key is null (none), a text, or
 * one of a plan with limits.
 */
type Case = [
  status: number,
  faults: string,
  key: null | string | Parameters<TestService['makeKey']>,
  code: string,
  method?: 'get' | 'post',
  version?: string,
]

/** The order: route, method, key, month, burst, plan, parameters. */
export function itRefusesInOrder(api: TestService, { path, plan }: TestedOperation): void {
  const misspelled = `${path}${path.includes('?') ? '&' : '?'}misspelled=1`
  const lowest = LADDER[0]!
  it.each<Case>([
    [404, 'an unknown route and no key', null, 'not_found', 'get', 'v1/nothing'],
    [404, 'an unknown route, a wrong method and a bad key', 'bad', 'not_found', 'post', 'v0'],
    [405, 'a wrong method and no key', null, 'invalid_request', 'post'],
    [405, 'a wrong method and a bad key', 'bad', 'invalid_request', 'post'],
    [
      405,
      'a wrong method and an exhausted month',
      [plan, { monthly: 0 }],
      'invalid_request',
      'post',
    ],
    [401, 'no key and an unknown parameter', null, 'missing_api_key'],
    [401, 'a bad key and an unknown parameter', 'bad', 'invalid_api_key'],
    [
      429,
      'an exhausted minute and an unknown parameter',
      [plan, { perMinute: 0 }],
      'burst_rate_exceeded',
    ],
    [
      429,
      'an exhausted month and minute and an unknown parameter',
      [plan, { monthly: 0, perMinute: 0 }],
      'monthly_quota_exceeded',
    ],
    [
      429,
      'an exhausted minute, the lowest plan and an unknown parameter',
      [lowest, { perMinute: 0 }],
      'burst_rate_exceeded',
    ],
    plan === lowest
      ? [400, 'the lowest plan and an unknown parameter', [lowest], 'invalid_request']
      : [403, 'the lowest plan and an unknown parameter', [lowest], 'forbidden'],
    [400, 'an unknown parameter alone', [plan], 'invalid_request'],
  ])('%i for %s', async (status, _faults, key, code, method = 'get', version = 'v1') => {
    const asked = misspelled.replace('v1', version)
    const sent = { key: Array.isArray(key) ? await api.makeKey(...key) : key }
    const response =
      method === 'get' ? await api.get(asked, sent) : await api.send(method, asked, sent)
    expect(refusalOf(response)).toContain(`${status} ${code}:`)
  })
}
