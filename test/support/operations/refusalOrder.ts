import { expect, it } from 'vitest'
import type { TestService } from '../service/start.ts'
import { LADDER, type TestedOperation } from './commonTests.ts'

/** Two or three faults in one request, and the one that answers. */
interface Case {
  faults: string
  /** Null: none is sent. A text: that one. Otherwise a key of that plan with those limits. */
  key: null | string | Parameters<TestService['makeKey']>
  method?: 'post'
  address?: (path: string) => string
  answer: [status: number, code: string]
}

/** The order: route, method, key, month, burst, plan, parameters. */
export function itRefusesInOrder(api: TestService, { path, plan }: TestedOperation): void {
  const misspelled = `${path}${path.includes('?') ? '&' : '?'}misspelled=1`
  const lowest = LADDER[0]!
  const cases: Case[] = [
    {
      faults: 'an unknown route and no key',
      key: null,
      address: p => p.replace('/v1/', '/v1/nothing/'),
      answer: [404, 'not_found'],
    },
    {
      faults: 'an unknown route, a wrong method and a bad key',
      key: 'bad',
      method: 'post',
      address: p => p.replace('/v1/', '/v0/'),
      answer: [404, 'not_found'],
    },
    { faults: 'a wrong method and no key', key: null, method: 'post', answer: [405, 'invalid_request'] },
    { faults: 'a wrong method and a bad key', key: 'bad', method: 'post', answer: [405, 'invalid_request'] },
    {
      faults: 'a wrong method and an exhausted month',
      key: [plan, { monthly: 0 }],
      method: 'post',
      answer: [405, 'invalid_request'],
    },
    { faults: 'no key and an unknown parameter', key: null, answer: [401, 'missing_api_key'] },
    { faults: 'a bad key and an unknown parameter', key: 'bad', answer: [401, 'invalid_api_key'] },
    {
      faults: 'an exhausted minute and an unknown parameter',
      key: [plan, { perMinute: 0 }],
      answer: [429, 'burst_rate_exceeded'],
    },
    {
      faults: 'an exhausted month and minute and an unknown parameter',
      key: [plan, { monthly: 0, perMinute: 0 }],
      answer: [429, 'monthly_quota_exceeded'],
    },
    {
      faults: 'an exhausted minute, the lowest plan and an unknown parameter',
      key: [lowest, { perMinute: 0 }],
      answer: [429, 'burst_rate_exceeded'],
    },
    {
      faults: 'the lowest plan and an unknown parameter',
      key: [lowest],
      answer: plan === lowest ? [400, 'invalid_request'] : [403, 'forbidden'],
    },
    { faults: 'an unknown parameter alone', key: [plan], answer: [400, 'invalid_request'] },
  ]

  const titled = cases.map(one => [one.answer[0], one.faults, one] as const)
  it.each(titled)('%i for %s', async (_status, _faults, { key, method, address = same, answer }) => {
    const sent = Array.isArray(key) ? await api.makeKey(...key) : key
    const asked = address(misspelled)
    const { status, body } = method
      ? await api.send(method, asked, { key: sent })
      : await api.get(asked, { key: sent })
    expect([status, body.code]).toEqual(answer)
  })
}

function same(path: string): string {
  return path
}
