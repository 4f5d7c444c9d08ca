import addFormats from 'ajv-formats'
import type { NextFunction, Request, RequestHandler, Response } from 'express'
import { OpenAPIBackend, SetMatchType } from 'openapi-backend'
import type { Contract, Operation } from '../../contract/document.ts'
import { RawJson } from '../../contract/rawJson.ts'
import type { OperationId } from '../../contract/types.ts'

/** A response that the contract does not allow. */
export interface Breach {
  operationId: OperationId
  status: number
  faults: string[]
}

/** What a response looked like when it left. */
interface SentResponse {
  status: number
  headers: Record<string, unknown>
  body: unknown
}

/** The judge of responses. */
export interface Witness {
  /** The breaches of the contract in one response; empty when it is as promised. */
  faultsOf(operationId: OperationId, response: SentResponse): string[]
  /** The share of responses of the running service that are judged, 0 to 1. */
  share: number
  onBreach(breach: Breach): void
}

const UNAUTHORIZED = 401

/** Judges responses by the contract: status, body and headers, the documented headers all present. */
export async function createWitness(
  contract: Contract,
  share: number,
  onBreach: (breach: Breach) => void,
): Promise<Witness> {
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
    share,
    onBreach,
    faultsOf: (operationId, response) => {
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
 * The rate headers are optional in the contract, which the judge of headers does not know: a caller whose key is not
 * known has no month, and one without a key, where the contract lets it in, is told all of it or nothing.
 */
function isWithoutMonth(operation: Operation, { status, headers }: SentResponse): boolean {
  if (status === UNAUTHORIZED) return true
  return operation.plan === null && !Object.keys(headers).some(name => /^ratelimit-/i.test(name))
}

/** Judges a share of the responses of an operation after they were sent. */
export function observe({ operationId }: Operation, witness: Witness | null): RequestHandler {
  return (_req: Request, res: Response, next: NextFunction) => {
    if (witness && Math.random() < witness.share) {
      res.once('finish', () => {
        const response = {
          status: res.statusCode,
          headers: res.getHeaders(),
          body: plainBody(res.locals.body),
        }
        const faults = witness.faultsOf(operationId, response)
        if (faults.length > 0) witness.onBreach({ operationId, status: response.status, faults })
      })
    }
    next()
  }
}

function plainBody(body: unknown): unknown {
  return body instanceof RawJson ? body.value() : body
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

/** The validator coerces in place, and a repeated header is one value. */
function plain(headers: Record<string, unknown>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name,
      Array.isArray(value) ? value.join(', ') : String(value),
    ]),
  )
}
