import type { NextFunction, Request, RequestHandler, Response } from 'express'
import * as OpenApiValidator from 'express-openapi-validator'
import type { OpenAPIV3_1 } from 'openapi-types'
import type { Contract, Operation, Parameter } from '../../contract/document.ts'
import { ApiError } from '../../domain/errors.ts'
import { nearestName } from '../../domain/nearestName.ts'
import type { SentQuery } from '../query.ts'

/**
 * The checks of one operation's requests, in order: the spelling of the query, then the schemas of the contract. After
 * them `req.query` holds typed values with the contract's defaults.
 */
export function createRequestChecks(contract: Contract): (operation: Operation) => RequestHandler[] {
  const validate = OpenApiValidator.middleware({
    apiSpec: validatorsCopy(contract),
    validateApiSpec: false,
    validateSecurity: false,
    validateResponses: false,
    validateRequests: { allowUnknownQueryParameters: false },
    fileUploader: false,
  })
  return operation => [spelling(operation), headAsGet, ...validate, restoreHead]
}

/** The validator answers 405 to HEAD, which the contract does not list beside every GET. */
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
  message?: string
  errorCode?: string
}

/** What the validator threw, as a refusal of ours; null when it is not one of its own. */
export function asInvalidRequest(error: unknown): ApiError | null {
  if (typeof error !== 'object' || error === null || !('errors' in error) || !('status' in error)) return null
  const faults = error.errors as ValidatorFault[]
  const status = Number(error.status)
  if (!Array.isArray(faults) || status < 400 || status > 499) return null
  return new ApiError('invalid_request', faults.map(sentence).join(' '), { status })
}

function sentence({ path = '', message = 'is not accepted' }: ValidatorFault): string {
  const name = path.split('/').at(-1)
  return name ? `"${name}" ${message}.` : `The request ${message}.`
}

/** How a value of each type is written. Both validators take `1e309`, `0x1`, ` 1`, `+1` or `1.0` for integers in places. */
const SPELLINGS: Record<string, { pattern: RegExp; words: string }> = {
  integer: { pattern: /^(0|-?[1-9][0-9]{0,17})$/, words: 'a whole number such as 25' },
  number: { pattern: /^-?(0|[1-9][0-9]{0,17})(\.[0-9]{1,18})?$/, words: 'a decimal number such as 19.99' },
  boolean: { pattern: /^(true|false)$/, words: 'true or false' },
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
    if (values.has(name)) throw new ApiError('invalid_request', `"${name}" is given more than once.`)
    assertSpelled(parameter, value)
    values.set(name, value)
  }
  return Object.fromEntries(values)
}

function assertSpelled(parameter: Parameter, value: string): void {
  const spelling = SPELLINGS[String(parameter.schema.type)]
  if (spelling && !spelling.pattern.test(value)) {
    throw new ApiError('invalid_request', `"${parameter.name}" must be ${spelling.words}.`)
  }
}

function unknownParameter(name: string, known: string[]): string {
  const shown = name.length > 40 ? `${name.slice(0, 40)}…` : name
  const nearest = nearestName(name, known)
  if (!nearest) return `Unknown query parameter "${shown}"; this operation takes none.`
  return `Unknown query parameter "${shown}". Did you mean "${nearest}"?`
}
