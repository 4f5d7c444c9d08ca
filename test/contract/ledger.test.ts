import type { OpenAPIV3_1 } from 'openapi-types'
import { describe, expect, it } from 'vitest'
import { follow } from '../../src/contract/document.ts'
import { contract } from '../support/contract/contract.ts'
import { readProofs } from '../support/contract/ledger.ts'

type Response = OpenAPIV3_1.ResponseObject

/**
 * The contract lists the rate headers here too, but says that these answers have none: whose key is
 * unknown has no month, and a page of another origin is refused before the key is read. The judge
 * of every answer holds the 401 to that.
 */
const WITHOUT_MONTH = ({ operationId, status }: { operationId: string; status: number }) =>
  status === 401 || (operationId === 'callMcp' && status === 403)

const { document, operations } = contract
const proofs = readProofs()

const proven = {
  statuses: new Set(proofs.map(({ operationId, status }) => `${operationId} ${status}`)),
  codes: new Set(proofs.map(({ operationId, status, code }) => `${operationId} ${status} ${code}`)),
  headers: new Set(
    proofs.flatMap(({ operationId, status, headers }) =>
      headers.map(header => `${operationId} ${status} ${header}`),
    ),
  ),
}

/** Every response that the contract documents. */
const promises = operations.flatMap(({ operationId, path, method }) =>
  Object.entries(document.paths?.[path]?.[method]?.responses ?? {}).map(([status, response]) => ({
    operationId,
    status: Number(status),
    response: followed(response),
  })),
)

describe('the ledger of the contract tests', () => {
  it('holds a pair of answers that differ because of it for every query parameter of every operation', () => {
    const proven = new Set(
      proofs.map(({ operationId, parameter }) => `${operationId} ${parameter}`),
    )
    const declared = operations.flatMap(({ operationId, parameters }) =>
      parameters.filter(one => one.in === 'query').map(({ name }) => `${operationId} ${name}`),
    )
    expect(declared.filter(parameter => !proven.has(parameter))).toEqual([])
    expect(declared).not.toEqual([])
  })

  it('holds a proof for every documented status of every operation', () => {
    const unproven = promises.map(({ operationId, status }) => `${operationId} ${status}`)
    expect(unproven.filter(promise => !proven.statuses.has(promise))).toEqual([])
  })

  it('holds a proof for every error code', () => {
    const { enum: codes = [] } = document.components!.schemas!.ErrorCode as OpenAPIV3_1.SchemaObject
    const seen = new Set(proofs.map(({ code }) => code))
    expect(codes.filter(code => !seen.has(code))).toEqual([])
    expect(codes).not.toEqual([])
  })

  it('holds a proof for every error code that a response of an operation documents', () => {
    const documented = promises.flatMap(({ operationId, status, response }) =>
      codesOf(response).map(code => `${operationId} ${status} ${code}`),
    )
    expect(documented.filter(promise => !proven.codes.has(promise))).toEqual([])
    expect(documented).not.toEqual([])
  })

  it('holds a proof for every rate header that a response of an operation documents', () => {
    const documented = promises
      .flatMap(({ operationId, status, response }) =>
        Object.keys(response.headers ?? {}).map(header => ({ operationId, status, header })),
      )
      .filter(({ header }) => /^(RateLimit-|Retry-After)/.test(header))
      .filter(promise => !WITHOUT_MONTH(promise) || !promise.header.startsWith('RateLimit-'))
      .map(({ operationId, status, header }) => `${operationId} ${status} ${header.toLowerCase()}`)
    expect(documented.filter(promise => !proven.headers.has(promise))).toEqual([])
    expect(documented).not.toEqual([])
  })
})

function followed(written: OpenAPIV3_1.ReferenceObject | Response): Response {
  if (!('$ref' in written)) return written
  const name = written.$ref.split('/').at(-1)!
  return followed(document.components!.responses![name]!)
}

/** The error codes in the examples of a response. */
function codesOf({ content = {} }: Response): string[] {
  const { example, examples = {} } = content['application/json'] ?? {}
  const bodies = [example, ...Object.values(examples).map(one => follow(document, one).value)]
  return bodies.map(body => body?.code).filter(code => typeof code === 'string')
}
