import { Ajv, type ErrorObject } from 'ajv'
import type { OpenAPIV3_1 } from 'openapi-types'
import type { Contract } from '../../contract/document.ts'
import type { Input } from '../../contract/types.ts'
import { ApiError } from '../../domain/errors.ts'
import { readQuery } from '../query.ts'
import { checkSpelling } from './requestValidation.ts'

/** A search as it was sent, for a form to show again, and as the use-case takes it. */
export interface SearchQuery {
  /** The parameters that say something, decoded, in the order they were sent. */
  sent: [name: string, value: string][]
  /**
   * The checked parameters with the contract's defaults.
   * @param others values for parameters that were not sent, before the contract's.
   * @throws ApiError invalid_request as `GET /api/v1/listings` does.
   */
  input(others?: Record<string, string>): Input<'searchListings'>
}

/**
 * Reads the query of a page by the rules of `searchListings`. One thing differs: a form sends its empty fields too, so
 * here a parameter without a value is one that was not sent.
 */
export function createSearchReader(contract: Contract): (url: string) => SearchQuery {
  const operation = contract.operations.find(({ operationId }) => operationId === 'searchListings')
  if (!operation) throw new Error('The contract has no searchListings.')
  const ajv = new Ajv({
    coerceTypes: true,
    useDefaults: true,
    allErrors: true,
    strict: false,
    validateFormats: false,
  })
  const schemas = operation.parameters.map(({ name, schema }) => [name, schema])
  const isValid = ajv.compile<Input<'searchListings'>>({
    type: 'object',
    properties: Object.fromEntries(schemas),
  })

  return url => {
    const { pairs, fault } = readQuery(url)
    const sent = pairs.filter(([, value]) => value !== '')
    return {
      sent,
      input: (others = {}) => {
        const values: unknown = { ...others, ...checkSpelling(operation, { pairs: sent, fault }) }
        if (isValid(values)) return values
        const sentences = (isValid.errors ?? []).map(error => sentence(error, contract.document))
        throw new ApiError('invalid_request', sentences.join(' '))
      },
    }
  }
}

function sentence(
  { instancePath, keyword, message, params }: ErrorObject,
  document: OpenAPIV3_1.Document,
): string {
  const name = instancePath.slice(1)
  if (keyword === 'enum') return `"${name}" must be one of ${(params.allowedValues as string[]).join(', ')}.`
  if (keyword === 'pattern') return `"${name}" must be written like ${exampleOf(name, document)}.`
  return `"${name}" ${message}.`
}

function exampleOf(name: string, { components }: OpenAPIV3_1.Document): string {
  const parameters = Object.values(components?.parameters ?? {}) as OpenAPIV3_1.ParameterObject[]
  return String(parameters.find(parameter => parameter.name === name)?.example)
}
