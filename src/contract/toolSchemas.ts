import type { OpenAPIV3_1 } from 'openapi-types'
import { type Contract, follow, type Parameter } from './document.ts'
import type { OperationId } from './types.ts'

type Schema = OpenAPIV3_1.SchemaObject

type Json = string | number | boolean | null | Json[] | { [name: string]: Json }

/** A JSON Schema (2020-12) whose root is an object. */
export type ObjectSchema = {
  type: 'object'
  properties: { [name: string]: { [keyword: string]: Json } }
  required?: string[]
  additionalProperties?: boolean
}

/** What a tool changes of its operation. */
export interface ToolChanges {
  /** Defaults other than the contract's, by parameter. */
  defaults?: Record<string, unknown>
  /** Properties of the answer that the tool does not give, wherever they stand. */
  omitted?: string[]
}

/** Formats of OpenAPI that are no JSON Schema; some clients refuse what they do not know. */
const OPENAPI_FORMATS = ['int32', 'int64', 'float', 'double']

/**
 * The schemas of a tool, read from the contract: its parameters side by side as input, the body of its 200 as output,
 * without references.
 */
export function toolSchemas(
  contract: Contract,
  operationId: OperationId,
  { defaults = {}, omitted = [] }: ToolChanges,
): { input: ObjectSchema; output: ObjectSchema } {
  const operation = contract.operations.find(known => known.operationId === operationId)
  const written = operation && contract.document.paths?.[operation.path]?.[operation.method]
  const ok = written?.responses?.['200'] as OpenAPIV3_1.ResponseObject | undefined
  const body = ok?.content?.['application/json']?.schema
  if (!operation || !body) throw new Error(`The contract has no operation ${operationId} that answers JSON.`)
  const properties = operation.parameters.map(parameter => [parameter.name, propertyOf(parameter, defaults)])
  const required = operation.parameters.filter(({ isRequired }) => isRequired).map(({ name }) => name)
  return {
    input: {
      type: 'object',
      properties: Object.fromEntries(properties),
      ...(required.length > 0 ? { required } : {}),
      additionalProperties: false,
    },
    output: inlined(contract.document, body as Schema, new Set(omitted)) as ObjectSchema,
  }
}

function propertyOf({ name, description, schema }: Parameter, defaults: Record<string, unknown>): Schema {
  const { format, ...rest } = schema
  return {
    ...rest,
    ...(format && !OPENAPI_FORMATS.includes(format) ? { format } : {}),
    description: description.trim().replace(/\s+/g, ' '),
    ...(name in defaults ? { default: defaults[name] } : {}),
  } as Schema
}

/** A schema with its references followed (none leads back to itself) and without what is omitted. */
function inlined(document: OpenAPIV3_1.Document, written: Schema, omitted: Set<string>): Schema {
  const { format, properties, required, ...rest } = follow<Schema>(document, written)
  const schema = { ...rest } as Record<string, unknown>
  if (format && !OPENAPI_FORMATS.includes(format)) schema.format = format
  if (rest.description) schema.description = rest.description.trim().replace(/\s+/g, ' ')
  if (properties) {
    const kept = Object.entries(properties).filter(([name]) => !omitted.has(name))
    schema.properties = Object.fromEntries(
      kept.map(([name, one]) => [name, inlined(document, one as Schema, omitted)]),
    )
  }
  if (required) schema.required = required.filter(name => !omitted.has(name))
  if ('items' in rest && rest.items) schema.items = inlined(document, rest.items as Schema, omitted)
  return schema as Schema
}
