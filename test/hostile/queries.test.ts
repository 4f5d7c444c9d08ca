import { describe, expect, it } from 'vitest'
import type { Operation, Parameter } from '../../src/contract/document.ts'
import { contract } from '../support/contract/contract.ts'
import { faultsOfAll } from '../support/hostile/faultsOfAll.ts'
import { HOSTILE_NAMES, HOSTILE_VALUES, misspellingsOf } from '../support/hostile/hostileInputs.ts'
import { violationsOf } from '../support/hostile/hostileViolations.ts'
import { serviceFor } from '../support/service/start.ts'

const api = serviceFor()

const reads = contract.operations.filter(({ method }) => method === 'get')
const SOME_ID = '0b1f3c9e-5d0a-3f6b-8c1d-2f6a7b8c9d0e'
const addressOf = ({ path }: Operation, query: string) =>
  `${path.replace('{id}', SOME_ID)}?${query}`

/** Some of a list: every so many, from another one on for each parameter. */
const everyNth = <T>(all: T[], step: number, from: number) =>
  all.filter((_, n) => n % step === from % step)

/**
 * Every operation with each of its query parameters. All values go to the first of a type and to
 * the first free text, every fourth to the other free texts, every twentieth to a parameter that an
 * operation before has, or whose type another has. All ways to write a name go to the first
 * operation that has it.
 */
const tried = new Set<string>()
const queried = reads
  .flatMap(operation =>
    operation.parameters
      .filter(parameter => parameter.in === 'query')
      .map(parameter => ({ operation, parameter })),
  )
  .map(({ operation, parameter }, place) => {
    const { type, pattern, enum: names } = parameter.schema
    const isFreeText = type === 'string' && !pattern && !names
    const kind = isFreeText ? 'free text' : `${type}`
    const isKnownName = tried.has(parameter.name)
    const step = !tried.has(kind) ? 1 : isFreeText && !isKnownName ? 4 : 20
    const misspellings = misspellingsOf(parameter.name)
    tried.add(kind).add(parameter.name)
    return {
      operation,
      parameter,
      values: everyNth(HOSTILE_VALUES, step, place),
      misspellings: isKnownName ? everyNth(misspellings, 5, place) : misspellings,
    }
  })

describe.each(queried)(
  '$operation.operationId with a hostile $parameter.name',
  ({ operation, parameter, values, misspellings }) => {
    it(`answers each of ${values.length} values by the contract: the malformed 400, the others as data`, async () => {
      const faults = await faultsOfAll(
        api,
        values,
        value => ({ method: 'GET', path: addressOf(operation, `${parameter.name}=${value}`) }),
        (answer, value) => {
          const isRefused = answer.status === 400
          // A well-formed cursor that no answer gave is refused all the same.
          const isOwnRefusal = /"error":"\\"cursor\\": (no answer|the change)/.test(answer.body)
          const wrong =
            isRefused === isWellFormed(parameter, value) &&
            !(isOwnRefusal && /^[0-9]+$/.test(value))
          return [
            ...(wrong
              ? [`${answer.status}, though the value is ${isRefused ? 'well-formed' : 'malformed'}`]
              : []),
            ...(isRefused && !answer.body.includes('invalid_request')
              ? ['400 is not invalid_request']
              : []),
            ...violationsOf(answer, operation.operationId),
          ]
        },
      )
      expect(faults).toEqual([])
    })

    it('refuses every other way to write the name', async () => {
      const faults = await faultsOfAll(
        api,
        // A list is its name once a value.
        misspellings.filter(query => parameter.schema.type !== 'array' || !query.includes('=1&')),
        query => ({ method: 'GET', path: addressOf(operation, query) }),
        (answer, query) => [
          ...(answer.status === 400 ? [] : [`${answer.status} instead of 400`]),
          ...violationsOf(answer, operation.operationId, query),
        ],
      )
      expect(faults).toEqual([])
    })
  },
)

describe.each(reads)('$operationId with a hostile query', operation => {
  it('refuses names that it does not know', async () => {
    const faults = await faultsOfAll(
      api,
      HOSTILE_NAMES.flatMap((name, n) => [
        `${name}=1`,
        ...(n % 10 ? [] : [`${name}=`, `a=1&${name}=1`]),
      ]),
      query => ({ method: 'GET', path: addressOf(operation, query) }),
      (answer, query) => [
        ...(answer.status === 400 ? [] : [`${answer.status} instead of 400`]),
        ...violationsOf(answer, operation.operationId, decoded(query) ?? ''),
      ],
    )
    expect(faults).toEqual([])
  })

  it.each([
    [51, 400],
    [1_000, 400],
    [20_000, 431],
  ])('refuses %i parameters with %i', async (count, status) => {
    const answer = await api.ask({
      method: 'GET',
      path: addressOf(operation, 'a=1&'.repeat(count).slice(0, -1)),
    })
    expect(answer.status).toBe(status)
    expect(violationsOf(answer, operation.operationId)).toEqual([])
  })

  it('takes a query that says nothing as none', async () => {
    const bare = await api.ask({ method: 'GET', path: addressOf(operation, '') })
    for (const nothing of ['&', '&&&', '&'.repeat(500)]) {
      const answer = await api.ask({ method: 'GET', path: addressOf(operation, nothing) })
      expect(answer.status).toBe(bare.status)
    }
  })
})

describe('the links of a page', () => {
  it.each([
    ...['truck?&per_page=1', 'a%26page%3D9', 'truck%0d%0aX-Injected:1', '%3E%3B%20rel=next'],
    ...['%22a%22,%3C/b%3E', encodeURIComponent('😀'.repeat(200))],
  ])('keep the query q=%s', async q => {
    const query = `q=${q}`
    const answer = await api.ask({ method: 'GET', path: `/api/v1/listings?${query}` })
    expect(violationsOf(answer, 'searchListings')).toEqual([])
    const first = /<([^>]*)>; rel="first"/.exec(answer.headers.link ?? '')?.[1]
    const linked = new URL(first ?? '').searchParams
    expect(linked.get('page')).toBe('1')
    linked.delete('page')
    expect([...linked]).toEqual([...new URLSearchParams(query)])
  })
})

/** Whether the contract allows the value, told without the code of the service. */
function isWellFormed({ schema }: Pick<Parameter, 'schema'>, value: string): boolean {
  const text = decoded(value)
  if (text === null || text.includes('\0')) return false
  if (schema.type === 'array')
    return isWellFormed({ schema: schema.items as Parameter['schema'] }, value)
  if (schema.enum) return schema.enum.includes(text)
  if (schema.type === 'boolean') return text === 'true' || text === 'false'
  if (schema.type === 'integer' || schema.type === 'number') {
    const pattern =
      schema.type === 'integer' ? /^(0|-?[1-9]\d{0,17})$/ : /^-?(0|[1-9]\d{0,17})(\.\d{1,18})?$/
    return pattern.test(text) && Number(text) >= schema.minimum! && Number(text) <= schema.maximum!
  }
  const { length } = [...text]
  if (length < (schema.minLength ?? 0) || length > (schema.maxLength ?? Number.POSITIVE_INFINITY))
    return false
  return schema.pattern === undefined || new RegExp(schema.pattern, 'u').test(text)
}

/** Percent-encoding and UTF-8, strictly; null for what is neither. */
function decoded(value: string): string | null {
  if (/%(?![0-9a-f]{2})/i.test(value)) return null
  const bytes = value
    .replaceAll('+', ' ')
    .replace(/%([0-9a-f]{2})/gi, (_, hex) => String.fromCharCode(parseInt(hex, 16)))
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(
      Buffer.from(bytes, 'latin1'),
    )
  } catch {
    return null
  }
}
