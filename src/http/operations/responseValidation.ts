import addFormats from 'ajv-formats'
import type { RequestHandler } from 'express'
import { OpenAPIBackend, SetMatchType } from 'openapi-backend'
import type { Contract, Operation } from '../../contract/document.ts'
import type { OperationId } from '../../contract/types.ts'
import { callOf } from '../call.ts'

/** A response that the contract does not allow. */
export interface Violation {
  operationId: OperationId
  status: number
  faults: string[]
}

/** A response as it was sent. */
interface SentResponse {
  status: number
  headers: Record<string, unknown>
  body: unknown
}

export type ResponseValidator = Awaited<ReturnType<typeof createResponseValidator>>

/** Validates responses by the contract: status, body and headers, the documented headers all present. */
export async function createResponseValidator(
  contract: Contract,
  share: number,
  onViolation: (violation: Violation) => void,
) {
  const api = new OpenAPIBackend({
    definition: structuredClone(contract.document),
    quick: true,
    strict: false,
    validate: true,
    ajvOpts: { strict: false },
    customizeAjv: ajv => addFormats.default(ajv),
  })
  await api.init()
  return {
    /** The share of responses of the running service that are validated, 0 to 1. */
    share,
    onViolation,
    /** What the contract does not allow in one response; empty when there is nothing. */
    faultsOf: (operationId: OperationId, { status, headers, body }: SentResponse) => {
      const operation = contract.operations.find(known => known.operationId === operationId)
      if (!operation?.statuses.includes(status)) return [`status ${status} is not documented`]
      const isJson = String(headers['content-type'] ?? '').startsWith('application/json')
      const hasBody = isJson && body !== undefined && status !== 304
      const ofBody = hasBody ? api.validateResponse(body, operationId, status).errors : null
      const match = { statusCode: status, setMatchType: SetMatchType.Superset }
      const ofHeaders = api.validateResponseHeaders(plain(headers), operationId, match).errors
      const faults = [
        ...(ofBody ?? []).map(error => `body ${error.instancePath} ${error.message}`),
        ...(ofHeaders ?? []).map(error => `headers ${error.instancePath} ${error.message}`),
      ]
      return isWithoutMonth(operation, headers)
        ? faults.filter(fault => !fault.includes('ratelimit-'))
        : faults
    },
  }
}

/**
 * The rate headers are optional in the contract, but the header validator requires them: a caller without a key, where the
 * contract allows it, gets all of them or none.
 */
function isWithoutMonth(operation: Operation, headers: SentResponse['headers']) {
  return operation.plan === null && !Object.keys(headers).some(name => /^ratelimit-/i.test(name))
}

/**
 * Validates the responses of an operation to the sampled calls, after they were sent.
 * Why: operators, whose log names a response that breaks the contract: npx vitest run test/http/sampledResponses.test.ts
 */
export function validateSample({ operationId }: Operation, validator: ResponseValidator): RequestHandler {
  return (_req, res, next) => {
    const call = callOf(res)
    if (call.isSampled) {
      res.once('finish', () => {
        const status = res.statusCode
        const body = call.bodyText === null ? undefined : JSON.parse(call.bodyText)
        const faults = validator.faultsOf(operationId, { status, headers: res.getHeaders(), body })
        if (faults.length > 0) validator.onViolation({ operationId, status, faults })
      })
    }
    next()
  }
}

/** The validator coerces in place, and takes a repeated header as one value. */
function plain(headers: Record<string, unknown>) {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value].flat().join(', ')]))
}
