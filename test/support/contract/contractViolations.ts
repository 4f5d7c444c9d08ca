import type { Response } from 'supertest'
import { expect } from 'vitest'
import { ERRORS } from '../../../src/contract/errors.ts'
import type { ErrorCode, OperationId } from '../../../src/contract/types.ts'
import { isReadablePath } from '../../../src/http/operations/requestValidation.ts'
import { PUBLIC_URL } from '../service/testSettings.ts'
import { contract } from './contract.ts'
import { recordProof } from './ledger.ts'
import { responseValidator } from './responseValidator.ts'

/**
 * Fails the test on any violation of the contract, and records in the ledger what this response
 * proves.
 */
export function expectNoViolation(response: Response): void {
  const { method, path } = requestOf(response)
  expectCommonHeaders(response)
  const operationId = operationOf(method, path)
  if (operationId === 'callMcp' && [400, 404].includes(response.status))
    expectRpcErrorShape(response)
  else if (response.status >= 400) expectErrorShape(response, method)
  if (!operationId) return
  const body = method === 'HEAD' || response.status === 304 ? undefined : response.body
  const faults = responseValidator.faultsOf(operationId, {
    status: response.status,
    headers: response.headers,
    body,
  })
  expect(faults, `${method} ${path} answered ${response.status}, against the contract`).toEqual([])
  recordProof({
    operationId,
    status: response.status,
    code: response.body?.code ?? null,
    headers: Object.keys(response.headers),
  })
}

/** What the contract promises of every response, whatever its address. */
function expectCommonHeaders({ headers, status }: Response): void {
  expect(headers, 'every response').toMatchObject({
    'x-content-type-options': 'nosniff',
    'access-control-allow-origin': '*',
  })
  expect(['live', 'demo'], 'every response says what the data are').toContain(headers['x-data'])
  expect(headers['x-request-id'], 'every response').toBeTruthy()
  expect(headers['x-powered-by'], 'no response').toBeUndefined()
  for (const name of ['limit', 'remaining', 'reset']) {
    expect(headers[`x-ratelimit-${name}`], 'the same value twice').toBe(
      headers[`ratelimit-${name}`],
    )
  }
  expect(headers.ratelimit === undefined, 'all of them or none').toBe(
    headers['ratelimit-limit'] === undefined,
  )
  if (status === 401) {
    expect(headers['ratelimit-limit'], 'no month is told to an unknown caller').toBeUndefined()
  }
  const waits = status === 429 || status === 503
  expect(headers['retry-after'] !== undefined, 'Retry-After on 429 and 503 alone').toBe(waits)
}

function expectErrorShape({ body, headers, status }: Response, method: string): void {
  expect(headers['content-type']).toBe('application/json; charset=utf-8')
  expect(headers['cache-control'], 'no error is kept').toBe('no-store')
  if (method === 'HEAD') return
  expect(Object.keys(body)).toEqual(expect.arrayContaining(['error', 'code', 'docs']))
  const known = ERRORS[body.code as ErrorCode]
  expect([known.status, ...known.other_statuses], `the statuses of ${body.code}`).toContain(status)
  expect(body.error).toMatch(/^.+[.?]$/s)
  expect(body.docs).toBe(`${PUBLIC_URL}/docs/errors#${body.code}`)
  if (body.upgrade !== undefined) {
    expect([403, 429], 'where a larger plan helps').toContain(status)
    expect(body.upgrade).toBe(`${PUBLIC_URL}/pricing`)
  }
}

/** What is wrong with a message is a JSON-RPC error. */
function expectRpcErrorShape({ body, headers }: Response): void {
  expect(headers['content-type']).toBe('application/json; charset=utf-8')
  expect(headers['cache-control'], 'no error is kept').toBe('no-store')
  expect(body).toMatchObject({
    jsonrpc: '2.0',
    error: { code: expect.any(Number), message: expect.any(String) },
  })
  expect(body.id === null || ['string', 'number'].includes(typeof body.id), 'the id, or null').toBe(
    true,
  )
}

function requestOf(response: Response): { method: string; path: string } {
  const { method, path } = (response as unknown as { req: { method: string; path: string } }).req
  return { method, path: path.split('?')[0] ?? '' }
}

/** An address that cannot be decoded names nothing, so it belongs to no operation. */
function operationOf(method: string, path: string): OperationId | null {
  if (!isReadablePath(path)) return null
  const asked = method === 'HEAD' ? 'get' : method.toLowerCase()
  const found = contract.operations.find(operation => {
    // The agent endpoint answers with a slash at its end too.
    const end = operation.hasBody ? '/?' : ''
    const pattern = new RegExp(`^${operation.path.replaceAll(/\{\w+\}/g, '[^/]+')}${end}$`)
    return operation.method === asked && pattern.test(path)
  })
  return found?.operationId ?? null
}
