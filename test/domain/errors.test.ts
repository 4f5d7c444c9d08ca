import type { OpenAPIV3_1 } from 'openapi-types'
import { describe, expect, it } from 'vitest'
import { ApiError, ERRORS, unavailable } from '../../src/contract/errors.ts'
import type { ErrorCode } from '../../src/contract/types.ts'
import { contract } from '../support/contract/contract.ts'

describe('the errors', () => {
  it('are exactly the codes of the contract, in its order', () => {
    const { ErrorCode } = contract.document.components!.schemas!
    expect(Object.keys(ERRORS)).toEqual((ErrorCode as OpenAPIV3_1.SchemaObject).enum)
  })

  it.each<[ErrorCode, number]>([
    ['missing_api_key', 401],
    ['invalid_api_key', 401],
    ['forbidden', 403],
    ['not_found', 404],
    ['invalid_request', 400],
    ['burst_rate_exceeded', 429],
    ['monthly_quota_exceeded', 429],
    ['internal_error', 500],
  ])('%s is %i unless told otherwise, and says what happened and what to do', (code, status) => {
    expect(new ApiError(code, 'Why.').status).toBe(status)
    expect(new ApiError(code, 'Why.', { status: 418 }).status).toBe(418)
    expect(ERRORS[code].condition).toMatch(/^[A-Z].+\.$/)
    expect(ERRORS[code].remedy).toMatch(/^[A-Z].+\.$/)
  })

  it('carry their sentence, and nothing that they were not given; a moment without answers is 503 with a second to wait', () => {
    const error = new ApiError('not_found', 'Why.')
    const given = { name: 'ApiError', message: 'Why.', upgrade: false, allow: null }
    expect(error).toBeInstanceOf(Error)
    expect(error).toMatchObject({ ...given, retryAfterSeconds: null })
    expect(unavailable('Why.')).toMatchObject({
      ...given,
      code: 'internal_error',
      status: 503,
      retryAfterSeconds: 1,
    })
  })
})
