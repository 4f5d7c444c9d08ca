import type { ErrorRequestHandler, NextFunction, Request, RequestHandler, Response } from 'express'
import * as OpenApiValidator from 'express-openapi-validator'
import type { OpenAPIV3_1 } from 'openapi-types'
import type { Contract, Operation } from '../../contract/document.ts'
import {
  missingParameter,
  repeatedParameter,
  requirementOf,
  unknownParameter,
} from '../../contract/parameterFaults.ts'
import { ApiError } from '../../domain/errors.ts'
import type { SentQuery } from '../query.ts'

/**
 * The checks of one operation's requests, in order: the spelling of the query, then the schemas of the contract. After
 * them `req.query` holds typed values with the contract's defaults.
 */
export function createRequestChecks(
  contract: Contract,
): (operation: Operation) => (RequestHandler | ErrorRequestHandler)[] {
  const validate = OpenApiValidator.middleware({
    apiSpec: validatorsCopy(contract),
    validateApiSpec: false,
    validateSecurity: false,
    validateResponses: false,
    validateRequests: { allowUnknownQueryParameters: false },
    fileUploader: false,
  })
  return operation => [spelling(operation), headAsGet, ...validate, restoreHead, refusal(operation)]
}

/** The validator answers 405 to HEAD, because the contract lists only GET. */
function headAsGet(req: Request, res: Response, next: NextFunction): void {
  res.locals.method = req.method
  if (req.method === 'HEAD') req.method = 'GET'
  next()
}

function restoreHead(req: Request, res: Response, next: NextFunction): void {
  req.method = res.locals.method as string
  next()
}

function spelling(operation: Operation): RequestHandler {
  return (req: Request, res: Response, next: NextFunction) => {
    const query = checkSpelling(operation, res.locals.query as SentQuery)
    // Express 5 answers `req.query` from a getter; the validator needs a plain property that it can replace.
    Object.defineProperty(req, 'query', {
      value: query,
      writable: true,
      configurable: true,
      enumerable: true,
    })
    next()
  }
}

/**
 * The validator changes the document it is given, so it gets a copy; and it refuses `q=o'brien` and `q=ford+truck` for
 * their reserved characters unless its copy allows them.
 */
function validatorsCopy(contract: Contract): ValidatorDocument {
  const copy = structuredClone(contract.document)
  for (const parameter of Object.values(copy.components?.parameters ?? {})) {
    const written = parameter as OpenAPIV3_1.ParameterObject
    if (written.in === 'query') written.allowReserved = true
  }
  return copy as ValidatorDocument
}

type ValidatorDocument = Exclude<Parameters<typeof OpenApiValidator.middleware>[0]['apiSpec'], string>

interface ValidatorFault {
  path?: string
  errorCode?: string
}

/** Turns what the validator threw into a refusal with the sentences of the contract. */
function refusal(operation: Operation): ErrorRequestHandler {
  const parameters = new Map(operation.parameters.map(parameter => [parameter.name, parameter]))
  const sentenceOf = ({ path = '', errorCode = '' }: ValidatorFault) => {
    const name = path.split('/').at(-1) ?? ''
    const parameter = parameters.get(name)
    if (!parameter) return unknownParameter(name, [...parameters.keys()])
    return errorCode.startsWith('required') ? missingParameter(name) : requirementOf(parameter)
  }
  return (thrown: unknown, _req: Request, _res: Response, next: NextFunction) => {
    if (thrown instanceof ApiError || !isValidatorError(thrown)) return next(thrown)
    const sentences = new Set(thrown.errors.map(sentenceOf))
    next(new ApiError('invalid_request', [...sentences].join(' '), { status: thrown.status }))
  }
}

function isValidatorError(thrown: unknown): thrown is { status: number; errors: ValidatorFault[] } {
  if (typeof thrown !== 'object' || thrown === null || !('errors' in thrown) || !('status' in thrown))
    return false
  return Array.isArray(thrown.errors) && Number(thrown.status) >= 400 && Number(thrown.status) < 500
}

/** How a value of each type is written. Both validators accept `1e309`, `0x1`, ` 1`, `+1` or `1.0` as integers in places. */
const SPELLINGS: Record<string, RegExp> = {
  integer: /^(0|-?[1-9][0-9]{0,17})$/,
  number: /^-?(0|[1-9][0-9]{0,17})(\.[0-9]{1,18})?$/,
  boolean: /^(true|false)$/,
}

/**
 * Checks the spelling of a query against the parameters of an operation, before anything is coerced.
 * @returns the parameters by name, still as text, each once.
 * @throws ApiError invalid_request that names the parameter: unknown (with the nearest known one), repeated or misspelled.
 */
export function checkSpelling(operation: Operation, sent: SentQuery): Record<string, string> {
  if (sent.fault) throw new ApiError('invalid_request', sent.fault)
  const known = new Map(operation.parameters.filter(p => p.in === 'query').map(p => [p.name, p]))
  const values = new Map<string, string>()
  for (const [name, value] of sent.pairs) {
    const parameter = known.get(name)
    if (!parameter) throw new ApiError('invalid_request', unknownParameter(name, [...known.keys()]))
    if (values.has(name)) throw new ApiError('invalid_request', repeatedParameter(name))
    const spelling = SPELLINGS[String(parameter.schema.type)]
    if (spelling && !spelling.test(value)) throw new ApiError('invalid_request', requirementOf(parameter))
    values.set(name, value)
  }
  return Object.fromEntries(values)
}
