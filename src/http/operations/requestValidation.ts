import type {
  ErrorRequestHandler,
  NextFunction,
  Request,
  Response,
  Router,
} from 'express'
import * as OpenApiValidator from 'express-openapi-validator'
import type { OpenAPIV3_1 } from 'openapi-types'
import type { Contract, Operation, Parameter } from '../../contract/document.ts'
import { invalidRequest, unknownRoute } from '../../contract/errors.ts'
import {
  faultOfText,
  missingParameter,
  notAlone,
  notUnicode,
  repeatedParameter,
  requirementOf,
  unknownParameter,
} from '../../contract/parameterFaults.ts'
import type { SentQuery } from '../../contract/types.ts'
import { createRouter } from '../../infra/createRouter.ts'
import { callOf } from '../call.ts'

/**
 * Checks the request of an operation: the spelling of the query, then the
 * schemas of the contract. After that `req.query` holds typed values with the
 * contract's defaults. A message of the agent endpoint is left to its protocol.
 * @throws ApiError invalid_request that names the parameter.
 */
export function validateRequest(contract: Contract): Router {
  const router = createRouter()
  router.use((_req, res, next) =>
    next(callOf(res).operation!.hasBody ? 'router' : undefined),
  )
  router.use(checkSpellingOfQuery)
  router.use(
    OpenApiValidator.middleware({
      apiSpec: validatorsCopy(contract),
      validateApiSpec: false,
      validateSecurity: false,
      validateResponses: false,
      fileUploader: false,
    }),
  )
  router.use(refuseInWords)
  return router
}

function checkSpellingOfQuery(req: Request, res: Response, next: NextFunction) {
  const { operation, query } = callOf(res)
  // Express 5 answers `req.query` from a getter; the validator needs a plain
  // property that it can replace.
  Object.defineProperty(req, 'query', {
    value: checkSpelling(operation!, query),
    writable: true,
    configurable: true,
    enumerable: true,
  })
  next()
}

/**
 * The validator changes the document it is given, so it gets a copy; and it
 * refuses `q=o'brien` and `q=ford+truck` for their reserved characters, and a
 * HEAD, unless its copy allows them.
 */
function validatorsCopy(contract: Contract) {
  const {
    openapi,
    info,
    paths = {},
    components = {},
  } = structuredClone(contract.document)
  const { parameters = {}, schemas = {} } = components
  for (const parameter of Object.values(parameters)) {
    const written = parameter as OpenAPIV3_1.ParameterObject
    if (written.in === 'query') written.allowReserved = true
  }
  for (const { path, method } of contract.operations) {
    const item = paths[path]!
    item[method]!.responses = {}
    if (item.get) item.head = item.get
  }
  // It compiles all schemas, also those of the answers, which it does not
  // check: at each start.
  const asked = JSON.stringify([paths, parameters])
  const askedSchemas = Object.entries(schemas).filter(([name]) =>
    asked.includes(`/${name}"`),
  )
  return {
    openapi,
    info,
    paths,
    components: {
      ...components,
      responses: {},
      schemas: Object.fromEntries(askedSchemas),
    },
  } as ValidatorDocument
}

type ValidatorDocument = Exclude<
  Parameters<typeof OpenApiValidator.middleware>[0]['apiSpec'],
  string
>

interface ValidatorFault {
  path?: string
  errorCode?: string
}

/**
 * The faults that the validator found, each in a sentence about the parameter.
 */
const refuseInWords: ErrorRequestHandler = (thrown, req, res, next) => {
  const { errors, status }: { errors?: ValidatorFault[]; status?: number } =
    thrown
  // It routes by itself too; the operation is known by then, so that its 404
  // would be a failure.
  if (!Array.isArray(errors) || status !== 400) return next(thrown)
  const { parameters } = callOf(res).operation!
  const sentences = new Set(
    errors.map(error => sentenceOf(error, parameters, req.query)),
  )
  next(invalidRequest([...sentences].join(' ')))
}

function sentenceOf(
  { path = '', errorCode = '' }: ValidatorFault,
  parameters: Parameter[],
  query: Request['query'],
) {
  // "/query/titles/3" for the fourth of a list. `checkSpelling` has refused
  // unknown names.
  const name = path.split('/')[2] ?? ''
  const parameter = parameters.find(known => known.name === name)!
  return errorCode.startsWith('required')
    ? missingParameter(name)
    : requirementOf(parameter, query[name])
}

/**
 * How a value of each type is written. Both validators accept `1e309`, `0x1`, `
 * 1`, `+1` or `1.0` as integers in places.
 */
const SPELLINGS: Record<string, RegExp> = {
  integer: /^(0|-?[1-9][0-9]{0,17})$/,
  number: /^-?(0|[1-9][0-9]{0,17})(\.[0-9]{1,18})?$/,
  boolean: /^(true|false)$/,
}

/**
 * Checks the spelling of a query against the parameters of an operation, before
 * anything is coerced.
 * @returns the parameters by name, still as text, each once; a list is an
 * array.
 * @throws ApiError invalid_request that names the parameter: unknown (with the
 * nearest known one), repeated or misspelled.
 */
export function checkSpelling(operation: Operation, sent: SentQuery) {
  if (sent.fault) throw invalidRequest(sent.fault)
  const values: Record<string, string | string[]> = {}
  for (const [name, value] of sent.pairs) {
    const parameter = operation.parameters.find(
      known => known.in === 'query' && known.name === name,
    )
    if (!parameter)
      throw invalidRequest(
        unknownParameter(name, queryNames(operation)).join(' '),
      )
    const isList = parameter.schema.type === 'array'
    if (!isList && Object.hasOwn(values, name))
      throw invalidRequest(repeatedParameter(name))
    const spelling = SPELLINGS[String(parameter.schema.type)]
    if (spelling && !spelling.test(value))
      throw invalidRequest(requirementOf(parameter))
    const text = name === 'source' ? value.toLowerCase() : value
    values[name] = isList ? [values[name] ?? [], text].flat() : text
  }
  const fault = notAlone(operation, Object.keys(values))
  if (fault) throw invalidRequest(fault)
  return values
}

function queryNames({ parameters }: Operation) {
  return parameters
    .filter(parameter => parameter.in === 'query')
    .map(({ name }) => name)
}

/** More than every parameter of the largest operation three times over. */
const MAXIMUM_PAIRS = 50

/**
 * Splits a query string by the rules of `application/x-www-form-urlencoded`,
 * strictly: broken percent-encoding, invalid UTF-8 and NUL are faults, which
 * the common parsers let through (they reach SQL as 22021 otherwise).
 */
export function readQuery(url: string) {
  const sent: SentQuery = { pairs: [], fault: null }
  for (const piece of split(url, '?')[1].split('&')) {
    if (piece === '') continue
    if (sent.pairs.length === MAXIMUM_PAIRS) {
      sent.fault = `The query has more than ${MAXIMUM_PAIRS} parameters.`
      break
    }
    const [name, value] = split(piece, '=').map(decoded)
    if (name == null) sent.fault = 'A parameter name must be valid UTF-8.'
    else {
      sent.fault ??=
        value == null
          ? notUnicode(name)
          : (faultOfText(name, name) ?? faultOfText(name, value))
      sent.pairs.push([name, value ?? ''])
    }
  }
  return sent
}

/** Whether a path can be decoded; one that cannot names no resource. */
export function isReadablePath(url: string) {
  return decoded(split(url, '?')[0]) !== null
}

/** Answers 404 to a path that cannot be decoded. */
export function refuseUnreadablePath(
  req: Request,
  _res: Response,
  next: NextFunction,
): void {
  if (!isReadablePath(req.url)) unknownRoute()
  next()
}

/** Before and after the first mark; all and nothing without one. */
function split(text: string, mark: string): [string, string] {
  const at = text.indexOf(mark)
  return at < 0 ? [text, ''] : [text.slice(0, at), text.slice(at + 1)]
}

function decoded(text: string) {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    return null
  }
}
