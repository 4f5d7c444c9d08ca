import type { OpenAPIV3_1 } from 'openapi-types'
import aggregates from '../../data/aggregates.json' with { type: 'json' }
import { type Contract, follow } from './document.ts'

/** The license of the aggregates. */
export const CC_BY_4 = 'https://creativecommons.org/licenses/by/4.0/'

/** A column of an archive, with its type in Parquet. */
export interface Column {
  name: string
  type: 'BOOLEAN' | 'INT32' | 'INT64' | 'DOUBLE' | 'STRING' | 'TIMESTAMP'
  /** A list of these. */
  isList?: boolean
}

/**
 * The tables of the archives, with the schema of the contract that has their
 * columns.
 */
const SCHEMAS = {
  lots: 'Listing',
  sales: 'Sale',
  changes: 'Change',
  feed: 'Listing',
} as const

export type ArchiveTable = keyof typeof SCHEMAS

/**
 * The columns of a table, in the order of the contract. A change names its lot
 * by `listing_id`.
 */
export function archiveColumns(
  { document }: Pick<Contract, 'document'>,
  table: ArchiveTable,
): Column[] {
  const schema = document.components?.schemas?.[SCHEMAS[table]]
  return Object.entries(schema?.properties ?? {}).map(([name, written]) => {
    const property = follow<OpenAPIV3_1.SchemaObject>(document, written)
    if (property.type === 'object')
      return { name: `${name}_id`, type: 'STRING' }
    return { name, type: typeOf(property), isList: property.type === 'array' }
  })
}

/** The columns of the open aggregates, which the API has not. */
export const AGGREGATE_COLUMNS = aggregates.columns as (Column & {
  description: string
})[]

const TYPES: Record<string, Column['type']> = {
  int32: 'INT32',
  integer: 'INT64',
  number: 'DOUBLE',
  boolean: 'BOOLEAN',
  'date-time': 'TIMESTAMP',
}

function typeOf({ type, format = '' }: OpenAPIV3_1.SchemaObject) {
  const [one] = [type].flat().filter(each => each !== 'null')
  return TYPES[format] ?? TYPES[one ?? ''] ?? 'STRING'
}
