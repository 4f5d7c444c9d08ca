import addFormats from 'ajv-formats'
import type { NextFunction, Request, RequestHandler, Response } from 'express'
import { OpenAPIBackend, SetMatchType } from 'openapi-backend'
import type { Contract, Operation } from '../../contract/document.ts'
import type { OperationId } from '../../contract/types.ts'

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

const UNAUTHORIZED = 401

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
    faultsOf: (operationId: OperationId, response: SentResponse) => {
      const operation = contract.operations.find(known => known.operationId === operationId)
      if (!operation?.statuses.includes(response.status))
        return [`status ${response.status} is not documented`]
      const faults = [...bodyFaults(api, operationId, response), ...headerFaults(api, operationId, response)]
      return isWithoutMonth(operation, response)
        ? faults.filter(fault => !fault.includes('ratelimit-'))
        : faults
    },
  }
}

/**
 * The rate headers are optional in the contract, but the header validator requires them: a caller with an unknown key has
 * no month, and one without a key, where the contract allows it, gets all of them or none.
 */
function isWithoutMonth(operation: Operation, { status, headers }: SentResponse): boolean {
  if (status === UNAUTHORIZED) return true
  return operation.plan === null && !Object.keys(headers).some(name => /^ratelimit-/i.test(name))
}

/** Validates the responses of an operation to the calls that the response cache drew, after they were sent. */
export function validateSample({ operationId }: Operation, validator: ResponseValidator): RequestHandler {
  return (_req: Request, res: Response, next: NextFunction) => {
    if (res.locals.isSampled) {
      res.once('finish', () => {
        const { statusCode: status, locals } = res
        const body = locals.bodyText === undefined ? undefined : JSON.parse(locals.bodyText)
        const faults = validator.faultsOf(operationId, { status, headers: res.getHeaders(), body })
        if (faults.length > 0) validator.onViolation({ operationId, status, faults })
      })
    }
    next()
  }
}

function bodyFaults(
  api: OpenAPIBackend,
  operationId: OperationId,
  { status, body, headers }: SentResponse,
): string[] {
  const isJson = String(headers['content-type'] ?? '').startsWith('application/json')
  if (!isJson || body === undefined || status === 304) return []
  const { errors } = api.validateResponse(body, operationId, status)
  return (errors ?? []).map(error => `body ${error.instancePath} ${error.message}`)
}

function headerFaults(
  api: OpenAPIBackend,
  operationId: OperationId,
  { status, headers }: SentResponse,
): string[] {
  const { errors } = api.validateResponseHeaders(plain(headers), operationId, {
    statusCode: status,
    setMatchType: SetMatchType.Superset,
  })
  return (errors ?? []).map(error => `headers ${error.instancePath} ${error.message}`)
}

/** The validator coerces in place, and takes a repeated header as one value. */
function plain(headers: Record<string, unknown>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name,
      Array.isArray(value) ? value.join(', ') : String(value),
    ]),
  )
}
