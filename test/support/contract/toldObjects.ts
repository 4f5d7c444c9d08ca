import type { OpenAPIV3_1 } from 'openapi-types'
import { follow, isNullable } from '../../../src/contract/document.ts'
import { contract } from './contract.ts'

type Schema = OpenAPIV3_1.SchemaObject & { items?: Written }
type Written = OpenAPIV3_1.ReferenceObject | OpenAPIV3_1.SchemaObject

/** An object of an answer. */
export interface ToldObject {
  /** Its schema in the contract. */
  name: string
  // biome-ignore lint/suspicious/noExplicitAny: the schema says what it is.
  value: any
  /** The objects around it, the outermost first. */
  within: ToldObject[]
}

const { document } = contract
const schemas = document.components!.schemas as Record<string, Schema>

/** The objects of a value that the contract describes with a schema of its own, at any depth. */
export function toldObjects(schema: Written, value: unknown): ToldObject[] {
  return told(schema, value, '', [])
}

/** The schema of the 200 of an operation. */
export function answerOf(operationId: string): Written {
  const { path, method } = contract.operations.find(known => known.operationId === operationId)!
  const answer = document.paths![path]![method]!.responses!['200'] as OpenAPIV3_1.ResponseObject
  return answer.content!['application/json']!.schema!
}

/**
 * Each property of the contract that may be null, as `Schema.property`, with what is said of it.
 */
export function nullableProperties(): Map<string, string> {
  const nullable = Object.entries(schemas).flatMap(([name, schema]) =>
    partsOf(schema).flatMap(({ properties = {} }) =>
      Object.entries(properties)
        .filter(([, written]) => isNullable(document, written))
        .map(([property, written]): [string, string] => {
          const own = 'description' in written ? written.description : undefined
          return [`${name}.${property}`, own ?? follow<Schema>(document, written).description ?? '']
        }),
    ),
  )
  return new Map(nullable)
}

/** A schema with those that it is made of, where they have no name. */
function partsOf(schema: Schema): Schema[] {
  const parts = (schema.allOf ?? []).filter((part): part is Schema => !('$ref' in part))
  const inner = Object.values(schema.properties ?? {}).filter(
    (part): part is Schema => !('$ref' in part) && 'properties' in part,
  )
  return [schema, ...[...parts, ...inner].flatMap(partsOf)]
}

function told(written: Written, value: unknown, above: string, within: ToldObject[]): ToldObject[] {
  if (value === null || typeof value !== 'object') return []
  const name = '$ref' in written ? written.$ref.split('/').at(-1)! : above
  const schema = follow<Schema>(document, written)
  if (Array.isArray(value)) return value.flatMap(one => told(schema.items!, one, name, within))
  const parts = (schema.allOf ?? []).flatMap(part => told(part, value, name, within))
  if (!schema.properties) return parts
  const own = { name, value, within }
  const inner = Object.entries(schema.properties).flatMap(([property, one]) =>
    told(one, (value as Record<string, unknown>)[property], name, [...within, own]),
  )
  return [...parts, own, ...inner]
}
