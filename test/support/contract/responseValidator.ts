import addFormats from 'ajv-formats'
import { OpenAPIBackend, SetMatchType } from 'openapi-backend'
import type { Contract, Operation } from '../../../src/contract/document.ts'
import type { OperationId } from '../../../src/contract/types.ts'
import { contract } from './contract.ts'

/** A response as it was sent. */
interface SentResponse {
  status: number
  headers: Record<string, unknown>
  body: unknown
}

interface ResponseValidator {
  /** What the contract does not allow in one response; empty when there is nothing. */
  faultsOf(operationId: OperationId, response: SentResponse): string[]
}

/**
 * Validates responses by the contract: status, body and headers, the documented headers all
 * present.
 */
export const responseValidator = await createResponseValidator(contract)

async function createResponseValidator(contract: Contract): Promise<ResponseValidator> {
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
 * The rate headers are optional in the contract, but the header validator requires them: a caller
 * without a key, where the contract allows it, gets all of them or none.
 */
function isWithoutMonth(operation: Operation, headers: SentResponse['headers']): boolean {
  return operation.plan === null && !Object.keys(headers).some(name => /^ratelimit-/i.test(name))
}

/** The validator coerces in place, and takes a repeated header as one value. */
function plain(headers: Record<string, unknown>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, [value].flat().join(', ')]),
  )
}
