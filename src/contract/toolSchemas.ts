import type { OpenAPIV3_1 } from 'openapi-types'
import {
  type Contract,
  follow,
  isNullable,
  type Operation,
  type Parameter,
} from './document.ts'
import { oneLine } from './text.ts'

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
  /** Keywords other than the contract's, by parameter. */
  parameters?: Record<string, { [keyword: string]: Json }>
  /**
   * Parameters that are not listed, because the tool takes them as the parts of
   * `buyer`.
   */
  ofBuyer?: readonly string[]
  /** Parameters that the tool has besides. */
  more?: readonly Parameter[]
  /**
   * Properties of the answer that the tool does not give, wherever they stand.
   */
  omitted?: readonly string[]
  /**
   * Properties that the contract requires and the tool does not always give,
   * wherever they stand.
   */
  optional?: readonly string[]
  /** Properties that the tool adds to `data`, or to each of its rows. */
  added?: readonly string[]
}

/**
 * The schemas of a tool, read from the contract: its parameters side by side as
 * input, the body of its 200 as output, without references. Every connected
 * agent pays for them in each conversation, so a parameter keeps its plan and
 * the first sentence of its description, and the output keeps only names, and
 * the types of what is required. Null is never sent (compactAnswer), so what
 * may be null in the contract is optional here; optional fields are one line of
 * names.
 */
export function toolSchemas(
  { document }: Contract,
  operation: Operation,
  changes: ToolChanges,
): { input: ObjectSchema; output: ObjectSchema } {
  const { parameters = {}, more = [] } = changes
  const ok =
    document.paths?.[operation.path]?.[operation.method]?.responses?.['200']
  const body = (ok as OpenAPIV3_1.ResponseObject | undefined)?.content?.[
    'application/json'
  ]?.schema
  const properties = [...operation.parameters, ...more].map(parameter => [
    parameter.name,
    { ...propertyOf(parameter), ...parameters[parameter.name] },
  ])
  const required = operation.parameters
    .filter(({ isRequired }) => isRequired)
    .map(({ name }) => name)
  return {
    input: {
      type: 'object',
      properties: Object.fromEntries(properties),
      ...(required.length > 0 ? { required } : {}),
      additionalProperties: false,
    },
    output: shapeOf(document, body as Schema, changes) as ObjectSchema,
  }
}

function propertyOf({ description, schema }: Parameter) {
  const { format, minLength, maxLength, description: _ofType, ...rest } = schema
  const [sentence] = oneLine(description).split(
    /(?<=\.)(?<!^Plan: \S+) (?=[A-Z`])/,
  )
  return {
    ...rest,
    // Where there is a pattern, it says the length and the format too.
    ...(rest.pattern || minLength === undefined
      ? {}
      : { minLength, maxLength }),
    description: sentence,
  } as Schema
}

/**
 * Objects within the fields of the data have no names: an agent reads those in
 * the answer.
 */
const DEEPEST = 1

/** Before the names of the fields that an answer has where they are known. */
export const WHERE_KNOWN = 'Where known: '

/**
 * Names and types of what is required (of the answer and of its data) and of
 * what has a shape of its own, and the names of the other fields, with
 * references followed (none leads back to itself) and without what is omitted.
 * @param added fields of `data`, or of each of its rows, that only the tool
 * has.
 */
function shapeOf(
  document: OpenAPIV3_1.Document,
  written: Schema,
  changes: ToolChanges,
  depth = 0,
  added: readonly string[] = [],
): Schema {
  const { omitted = [], optional = [] } = changes
  const schema = merged(document, written)
  const type = [schema.type].flat().find(one => one !== 'null')
  if (type === 'array' && 'items' in schema)
    return {
      type,
      items: shapeOf(document, schema.items as Schema, changes, depth, added),
    }
  if (!schema.properties || depth > DEEPEST) return { type } as Schema
  const kept = Object.entries(schema.properties).filter(
    ([name]) => !omitted.includes(name),
  )
  const required = kept
    .filter(
      ([name, one]) =>
        !optional.includes(name) && !isNullable(document, one as Schema),
    )
    .flatMap(([name]) => (schema.required?.includes(name) ? name : []))
  const shapes = kept.map(([name, one]) => {
    const ofTool = name === 'data' ? changes.added : []
    return [
      name,
      shapeOf(document, one as Schema, changes, depth + 1, ofTool),
    ] as const
  })
  const shown = shapes.filter(
    ([name, shape]) => required.includes(name) || hasShape(shape),
  )
  const names = [
    ...shapes.filter(one => !shown.includes(one)).map(([name]) => name),
    ...added,
  ]
  return {
    type,
    ...(names.length > 0
      ? { description: WHERE_KNOWN + names.join(', ') }
      : {}),
    properties: Object.fromEntries(shown),
    ...(required.length > 0 ? { required } : {}),
  } as Schema
}

function hasShape(schema: Schema) {
  return Boolean(
    (schema.type === 'array' ? (schema.items as Schema | undefined) : schema)
      ?.properties,
  )
}

/**
 * A schema with its references followed, and the parts of an `allOf` as one.
 */
function merged(document: OpenAPIV3_1.Document, written: Schema): Schema {
  const schema = follow<Schema>(document, written)
  const parts = (schema.allOf ?? []).map(part =>
    merged(document, part as Schema),
  )
  if (parts.length === 0) return schema
  return {
    type: 'object',
    properties: Object.assign({}, ...parts.map(({ properties }) => properties)),
    required: parts.flatMap(({ required = [] }) => required),
  }
}

/**
 * An answer as agents get it: without null, without the properties that the
 * tool omits, numbers at two decimals. Agents pay for every character, and null
 * says no more than absence does.
 */
export function compactAnswer(
  value: unknown,
  omitted: readonly string[] = [],
): unknown {
  if (Array.isArray(value)) return value.map(one => compactAnswer(one, omitted))
  if (typeof value === 'number') return Math.round(value * 100) / 100
  if (typeof value !== 'object' || value === null) return value
  const kept = Object.entries(value).filter(
    ([name, one]) => one !== null && !omitted.includes(name),
  )
  return Object.fromEntries(
    kept.map(([name, one]) => [name, compactAnswer(one, omitted)]),
  )
}
