import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { OpenAPIV3_1 } from 'openapi-types'
import { PLANS, type Plan } from './plans.ts'
import { projectFile } from './projectFile.ts'
import type { OperationId } from './types.ts'

type Schema = OpenAPIV3_1.SchemaObject
type ReferenceOr<T> = OpenAPIV3_1.ReferenceObject | T

/**
 * A query or path parameter with its references followed. `plan` is the least
 * plan that may send it.
 */
export interface Parameter {
  name: string
  in: 'query' | 'path'
  isRequired: boolean
  description: string
  schema: Schema
  example: unknown
  plan: Plan | null
  /** Whether it may only be sent alone. */
  isAlone: boolean
}

/**
 * One operation, for routes, tools and pages. `plan` is null where no key is
 * needed.
 */
export interface Operation {
  operationId: OperationId
  method: 'get' | 'post'
  path: string
  plan: Plan | null
  parameters: Parameter[]
  deprecation: { deprecatedAt: Date; sunsetAt: Date } | null
  /** Whether it takes a body: a JSON-RPC message. */
  hasBody: boolean
  /**
   * The address of the license that its answers are under; null for the terms
   * alone.
   */
  license: string | null
  /** The statuses that the contract documents for it. */
  statuses: number[]
}

/**
 * The contract, read once: the text as written, the parsed document, and its
 * operations.
 */
export interface Contract {
  text: string
  document: OpenAPIV3_1.Document
  operations: Operation[]
  /** The properties of a named schema, in contract order. */
  propertiesOf(schemaName: string): string[]
}

const SUNSET_MINIMUM_MS = 180 * 24 * 3600 * 1000

/**
 * `tools/build.mjs` writes `openapi.yaml` as JSON here; where the sources run,
 * there is none.
 */
const BUILT = new URL('../../openapi.json', import.meta.url)

/**
 * The parsed document. YAML is parsed, and its parser loaded, only where the
 * build has not done it. Why: each start; `node --import tsx
 * bench/firstStart.ts` shows its processor time.
 */
function readDocument(text: string | undefined): OpenAPIV3_1.Document {
  if (text === undefined && existsSync(BUILT))
    return JSON.parse(readFileSync(BUILT, 'utf8'))
  const { parse } = createRequire(import.meta.url)(
    'yaml',
  ) as typeof import('yaml')
  return parse(text ?? readText())
}

const readText = () => readFileSync(projectFile('openapi.yaml'), 'utf8')

/**
 * Reads a contract.
 * @param written another text than `openapi.yaml`.
 * @throws Error when a deprecated operation lacks a date, or leaves its clients
 * less than 180 days.
 */
export function readContract(written?: string): Contract {
  const document = readDocument(written)
  const operations: Operation[] = []
  for (const [path, item] of Object.entries(document.paths ?? {})) {
    for (const method of ['get', 'post'] as const) {
      const operation = item?.[method]
      if (operation)
        operations.push(readOperation(document, path, method, operation))
    }
  }
  return {
    text: written ?? readText(),
    document,
    operations,
    propertiesOf: schemaName =>
      Object.keys(
        (document.components?.schemas?.[schemaName] as Schema | undefined)
          ?.properties ?? {},
      ),
  }
}

/** An operation by its name: the type has those of the contract. */
export function operationOf(
  { operations }: Contract,
  operationId: OperationId,
): Operation {
  return operations.find(known => known.operationId === operationId)!
}

/** The search as forms fill it in: without what may only be sent alone. */
export function formOperation(contract: Contract): Operation {
  const operation = operationOf(contract, 'searchListings')
  return {
    ...operation,
    parameters: operation.parameters.filter(({ isAlone }) => !isAlone),
  }
}

/**
 * The plan that a call needs, null for keyless, and the parameter that needs
 * it, null where the operation does.
 */
interface PlanNeeded {
  plan: Plan | null
  parameter: string | null
}

/**
 * The least plan that a call needs: the operation's own, or that of the most
 * expensive parameter that is sent; null for keyless.
 */
export function planNeeded(
  operation: Operation,
  sent: Iterable<string>,
): PlanNeeded {
  const names = new Set(sent)
  let needed: PlanNeeded = { plan: operation.plan, parameter: null }
  for (const { name, plan } of operation.parameters) {
    if (!plan || !names.has(name)) continue
    if (!needed.plan || PLANS[plan].rank > PLANS[needed.plan].rank)
      needed = { plan, parameter: name }
  }
  return needed
}

function readOperation(
  document: OpenAPIV3_1.Document,
  path: string,
  method: 'get' | 'post',
  operation: OpenAPIV3_1.OperationObject,
): Operation {
  return {
    operationId: operation.operationId as OperationId,
    method,
    path,
    plan: planOf(operation),
    parameters: (operation.parameters ?? []).map(parameter =>
      readParameter(document, parameter),
    ),
    deprecation: deprecationOf(operation),
    hasBody: operation.requestBody !== undefined,
    license: operation.externalDocs?.url ?? null,
    statuses: Object.keys(operation.responses ?? {}).map(Number),
  }
}

/**
 * `x-plan`; null where an empty requirement beside the key lets keyless callers
 * in.
 */
function planOf(
  operation: OpenAPIV3_1.OperationObject & { 'x-plan'?: string },
) {
  if (
    operation.security?.some(
      requirement => Object.keys(requirement).length === 0,
    )
  )
    return null
  const plan = operation['x-plan']
  if (!plan || !Object.hasOwn(PLANS, plan))
    throw new Error(
      `${operation.operationId}: the contract names no known plan.`,
    )
  return plan as Plan
}

function readParameter(
  document: OpenAPIV3_1.Document,
  written: ReferenceOr<OpenAPIV3_1.ParameterObject>,
): Parameter {
  const parameter = follow<
    OpenAPIV3_1.ParameterObject & { 'x-plan'?: Plan; 'x-alone'?: boolean }
  >(document, written)
  return {
    name: parameter.name,
    in: parameter.in as 'query' | 'path',
    isRequired: parameter.required ?? false,
    description: parameter.description ?? '',
    schema: follow<Schema>(document, parameter.schema as ReferenceOr<Schema>),
    example: parameter.example as unknown,
    plan: parameter['x-plan'] ?? null,
    isAlone: parameter['x-alone'] ?? false,
  }
}

/** What a reference names, through any number of references. */
export function follow<T>(
  document: OpenAPIV3_1.Document,
  value: ReferenceOr<T>,
): T {
  if (!value || typeof value !== 'object' || !('$ref' in value))
    return value as T
  const segments = value.$ref.replace(/^#\//, '').split('/')
  const target = segments.reduce<unknown>(
    (node, segment) => (node as Record<string, unknown>)[segment],
    document,
  )
  return follow(document, target as ReferenceOr<T>)
}

/** Whether a value of a schema may be null. */
export function isNullable(
  document: OpenAPIV3_1.Document,
  written: ReferenceOr<Schema>,
): boolean {
  return [follow(document, written).type].flat().includes('null')
}

function deprecationOf(operation: OpenAPIV3_1.OperationObject) {
  if (!operation.deprecated) return null
  const dates = operation as { 'x-deprecated'?: string; 'x-sunset'?: string }
  const deprecatedAt = new Date(dates['x-deprecated'] ?? '')
  const sunsetAt = new Date(dates['x-sunset'] ?? '')
  const spanMs = sunsetAt.getTime() - deprecatedAt.getTime()
  if (!(spanMs >= SUNSET_MINIMUM_MS)) {
    throw new Error(
      `${operation.operationId} is deprecated: the contract must state x-deprecated and x-sunset, at least 180 days apart.`,
    )
  }
  return { deprecatedAt, sunsetAt }
}
