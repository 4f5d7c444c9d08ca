import { METHODS } from 'node:http'
import { describe, expect, it } from 'vitest'
import { contract } from '../support/contract/contract.ts'
import { faultsOfAll } from '../support/hostile/faultsOfAll.ts'
import { ABSENT_PATHS, HOSTILE_VALUES } from '../support/hostile/hostileInputs.ts'
import { violationsOf } from '../support/hostile/hostileViolations.ts'
import { serviceFor } from '../support/service/start.ts'

const api = serviceFor()

/** All names of a lot are read alike: every third value goes to the score, and others to the page. */
const someOf = (from: number) => HOSTILE_VALUES.filter((_, n) => n % 3 === from)

describe.each([
  ['getListing', '/api/v1/listings/', HOSTILE_VALUES],
  ['getFlipScore', '/api/v1/flip-score/', someOf(0)],
  ['the page of a listing', '/listings/', someOf(1)],
] as const)('%s by a hostile id', (name, prefix, values) => {
  it(`is 404 for each of ${values.length} values`, async () => {
    const operation = contract.operations.find(({ operationId }) => operationId === name)
    const faults = await faultsOfAll(
      api,
      [...values],
      value => ({ method: 'GET', path: prefix + value }),
      (answer, value) => {
        // A page in capitals or with a slash at the end is one redirect away.
        const isTidied =
          answer.status === 302 && /^\/listings(\/[a-z0-9._-]+)?$/.test(answer.headers.location!)
        if (prefix === '/listings/' && isTidied) return []
        return [
          ...(answer.status === 404 ? [] : [`${answer.status} instead of 404`]),
          ...(answer.body.includes('not_found') ? [] : ['the code is not not_found']),
          // An address that cannot be read, or that is empty, is not one of the operation.
          ...violationsOf(
            answer,
            answer.headers['ratelimit-limit'] ? (operation?.operationId ?? null) : null,
            value,
          ),
        ]
      },
    )
    expect(faults).toEqual([])
  })
})

describe('addresses that are not there', () => {
  it.each(ABSENT_PATHS)('404 %s', async path => {
    const answer = await api.ask({ method: 'GET', path })
    expect(answer.status).toBe(404)
    expect(violationsOf(answer, null, path)).toEqual([])
  })
})

describe('methods', () => {
  const body = '{"q":"truck","__proto__":{"a":1}}'
  const headers = { 'content-type': 'application/json', 'content-length': String(body.length) }

  it.each(contract.operations)(
    '405 invalid_request with Allow for what $operationId does not take, body and all',
    async ({ path, method }) => {
      const taken = method === 'get' ? ['GET', 'HEAD', 'OPTIONS'] : ['POST']
      const faults = await faultsOfAll(
        api,
        METHODS.filter(name => ![...taken, 'OPTIONS', 'CONNECT', 'HEAD'].includes(name)),
        name => ({ method: name, path: path.replace('{id}', 'a-lot'), headers, body }),
        answer => [
          ...(answer.status === 405 ? [] : [`${answer.status} instead of 405`]),
          ...(answer.body.includes('invalid_request') ? [] : ['the code is not invalid_request']),
          ...(answer.headers.allow === taken.join(', ') ? [] : [`Allow: ${answer.headers.allow}`]),
          ...violationsOf(answer, null),
        ],
      )
      expect(faults).toEqual([])
    },
  )

  it('404 for whatever method at an address that is not there', async () => {
    const faults = await faultsOfAll(
      api,
      METHODS.filter(name => name !== 'CONNECT' && name !== 'HEAD'),
      name => ({ method: name, path: '/api/v1/nothing' }),
      answer => [
        ...(answer.status === 404 ? [] : [`${answer.status} instead of 404`]),
        ...violationsOf(answer, null),
      ],
    )
    expect(faults).toEqual([])
  })

  it.each(contract.operations.filter(({ method }) => method === 'get'))(
    '$operationId takes no notice of a body',
    async operation => {
      const path = operation.path.replace('{id}', 'a-lot')
      for (const method of ['GET', 'HEAD']) {
        const bare = await api.ask({ method, path })
        for (const sent of [body, '{', '\0', 'a'.repeat(200_000)]) {
          const length = { ...headers, 'content-length': String(sent.length) }
          const answer = await api.ask({ method, path, headers: length, body: sent })
          expect(answer.status).toBe(bare.status)
          if (method === 'GET') expect(violationsOf(answer, operation.operationId)).toEqual([])
        }
      }
    },
  )
})
