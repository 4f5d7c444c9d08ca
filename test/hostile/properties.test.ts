import fc, { type Arbitrary } from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Operation, Parameter } from '../../src/contract/document.ts'
import { isReadablePath } from '../../src/http/operations/requestValidation.ts'
import { contract } from '../support/contract/contract.ts'
import { violationsOf } from '../support/hostile/hostileViolations.ts'
import type { Answer } from '../support/service/rawHttp.ts'
import { serviceFor } from '../support/service/start.ts'

/**
 * The same inputs in every run, so that a change decides and not chance; other seeds and more runs
 * by hand.
 */
const SEED = Number(process.env.PROPERTY_SEED ?? 20_261_121)
const RUNS = Number(process.env.PROPERTY_RUNS ?? 50)

const api = serviceFor()

const hold = <T>(inputs: Arbitrary<T>, judged: (input: T) => Promise<string[]>) =>
  fc.assert(
    fc.asyncProperty(inputs, async input => {
      expect(await judged(input)).toEqual([])
    }),
    { seed: SEED, numRuns: RUNS },
  )

const faultsOf = (answer: Answer, operation: Operation | null, echoed = '') =>
  violationsOf(answer, operation?.operationId ?? null, echoed)

const hex = (byte: number) => `%${byte.toString(16).padStart(2, '0')}`
/** Any characters, properly encoded. */
const anyText = fc
  .string({ unit: 'binary', maxLength: 60 })
  .map(text => encodeURIComponent(text.toWellFormed()))
/** Any bytes, of which most are no UTF-8. */
const anyBytes = fc.uint8Array({ maxLength: 24 }).map(bytes => [...bytes].map(hex).join(''))
/** Whatever may stand in a request line, as it is: stray percent signs, brackets, separators. */
const anySpelling = fc
  .string({ unit: fc.constantFrom(...'%&=+;[]{}().,-_~!*\'"<>|^`\\@$:09aAfFzZ'), maxLength: 30 })
  .filter(text => !text.includes('#'))

/** Values that a schema allows, and those just beside. */
function spellingOf({ schema }: Parameter): Arbitrary<string> {
  const { minimum = -5, maximum = 1_000 } = schema
  const near: Arbitrary<string>[] = [
    fc.integer({ min: minimum - 2, max: maximum + 2 }).map(String),
    fc.double().map(String),
    fc.bigInt({ min: -(2n ** 70n), max: 2n ** 70n }).map(String),
    fc.constantFrom('true', 'false', '', '0', '-0', '60601', 'TX', 'vehicles', 'gsa'),
    fc.uuid(),
  ]
  if (schema.enum) near.push(fc.constantFrom(...schema.enum.map(String)))
  return fc.oneof(...near, anyText, anyBytes, anySpelling)
}

function queryOf({ parameters }: Operation): Arbitrary<string> {
  const known = parameters
    .filter(({ in: place }) => place === 'query')
    .map(parameter => spellingOf(parameter).map(value => `${parameter.name}=${value}`))
  const unknown = fc
    .tuple(fc.oneof(anyText, anyBytes, anySpelling), fc.oneof(anyText, anyBytes))
    .map(pair => pair.join('='))
  const pair =
    known.length > 0
      ? fc.oneof({ weight: 6, arbitrary: fc.oneof(...known) }, { weight: 1, arbitrary: unknown })
      : unknown
  return fc.array(pair, { maxLength: 6 }).map(pairs => pairs.join('&'))
}

const segment = fc
  .oneof(
    fc.uuid(),
    anyText,
    anyBytes,
    anySpelling.map(text => text.replaceAll(/[?/\\]/g, '')),
  )
  .filter(text => text !== '' && text !== '.' && text !== '..')

describe.each(contract.operations.filter(({ method }) => method === 'get'))(
  '$operationId',
  operation => {
    it('answers any names, values and bytes with a status of its contract, and an error with the error body', async () => {
      const asked = fc.record({
        id: segment,
        query: queryOf(operation),
        method: fc.constantFrom('GET', 'GET', 'HEAD'),
      })
      await hold(asked, async ({ id, query, method }) => {
        const path = operation.path.replace('{id}', id)
        const answer = await api.ask({ method, path: query === '' ? path : `${path}?${query}` })
        if (method === 'HEAD') return answer.status < 500 ? [] : [`status ${answer.status}`]
        return faultsOf(answer, isReadablePath(path) ? operation : null, query)
      })
    })
  },
)

it('any address is answered by 2xx, 3xx or 4xx, below /api/ with the error body', async () => {
  const known = fc.constantFrom('api', 'v1', 'listings', 'mcp', 'account', 'docs', 'feeds')
  const path = fc.array(fc.oneof(segment, known), { minLength: 1, maxLength: 5 })
  await hold(path, async segments => {
    const nowhere = `/api/v1/nowhere/${segments.join('/')}`
    const somewhere = await api.ask({ method: 'GET', path: `/${segments.join('/')}` })
    return [
      ...(somewhere.status < 500 ? [] : [`status ${somewhere.status}`]),
      ...faultsOf(await api.ask({ method: 'GET', path: nowhere }), null, nowhere),
    ]
  })
})

describe('the agent endpoint', () => {
  const mcp = contract.operations.find(({ operationId }) => operationId === 'callMcp')!
  const TOOLS = ['search_listings', 'get_listing', 'get_comps', 'get_flip_score']
  const METHODS =
    'initialize tools/list tools/call ping notifications/initialized server/discover'.split(' ')
  const NAMES = contract.operations.flatMap(({ parameters }) => parameters.map(({ name }) => name))

  const post = (body: string | Buffer, headers: Record<string, string> = {}) =>
    api.ask({
      method: 'POST',
      path: mcp.path,
      headers: {
        'content-type': 'application/json',
        'content-length': String(Buffer.byteLength(body)),
        ...headers,
      },
      body,
    })

  const toolCall = fc.record({
    name: fc.oneof(fc.constantFrom(...TOOLS), fc.string(), fc.jsonValue()),
    arguments: fc.oneof(
      fc.dictionary(fc.oneof(fc.constantFrom(...NAMES), fc.string()), fc.jsonValue()),
      fc.jsonValue(),
    ),
  })
  const message = fc.record(
    {
      jsonrpc: fc.oneof(
        { weight: 9, arbitrary: fc.constant('2.0') },
        { weight: 1, arbitrary: fc.jsonValue() },
      ),
      id: fc.oneof(
        { weight: 5, arbitrary: fc.integer() },
        { weight: 1, arbitrary: fc.jsonValue() },
      ),
      method: fc.oneof(
        { weight: 8, arbitrary: fc.constantFrom(...METHODS) },
        { weight: 1, arbitrary: fc.jsonValue() },
      ),
      params: fc.oneof(
        { weight: 3, arbitrary: toolCall },
        { weight: 1, arbitrary: fc.jsonValue() },
      ),
    },
    { requiredKeys: ['jsonrpc', 'method'] },
  )
  const revision = fc.constantFrom('2024-10-07', '2025-06-18', '2025-11-25', '2026-07-28', '1', '')

  it('answers any message, any JSON and any bytes with a status of its contract, and never fails', async () => {
    await hold(fc.tuple(message, revision), async ([sent, version]) => {
      const text = JSON.stringify(sent)
      const answer = await post(text, version === '' ? {} : { 'mcp-protocol-version': version })
      return faultsOf(answer, mcp, text)
    })
    await hold(fc.json({ maxDepth: 6 }), async text => faultsOf(await post(text), mcp, text))
    const bytes = fc.uint8Array({ maxLength: 400 }).map(sent => Buffer.from(sent))
    await hold(bytes, async sent => faultsOf(await post(sent), mcp))
  })

  it('answers any headers with a status of its contract, and never fails', async () => {
    const value = fc.string({
      unit: fc.integer({ min: 0x20, max: 0x7e }).map(code => String.fromCharCode(code)),
      maxLength: 80,
    })
    const name = fc.constantFrom(
      ...'content-type accept mcp-protocol-version mcp-method mcp-name origin traceparent'.split(
        ' ',
      ),
      ...'if-none-match range cookie'.split(' '),
    )
    await hold(fc.dictionary(name, value), async headers => {
      const answer = await post('{"jsonrpc":"2.0","id":1,"method":"tools/list"}', headers)
      return faultsOf(answer, mcp, JSON.stringify(headers))
    })
  })
})
