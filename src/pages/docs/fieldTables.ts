import type { OpenAPIV3_1 } from 'openapi-types'
import { type Contract, follow } from '../../contract/document.ts'
import { oneLine } from '../../domain/format.ts'

type Schema = OpenAPIV3_1.SchemaObject
type Written = OpenAPIV3_1.ReferenceObject | Schema

/** A Markdown table. @param head a name that ends with a colon is that of a column of numbers. */
export function table(head: string[], rows: string[][]): string {
  const line = (cells: string[]) => `| ${cells.map(cell => cell.replaceAll('|', '\\|')).join(' | ')} |`
  const rule = head.map(name => (name.endsWith(':') ? '---:' : '---'))
  return [line(head.map(name => name.replace(/:$/, ''))), line(rule), ...rows.map(line)].join('\n')
}

/** The fields of a schema of the contract, in its order, with types and meanings. */
export function fieldTable({ document }: Contract, name: string): string {
  const { properties } = document.components?.schemas?.[name] ?? {}
  const rows = Object.entries((properties ?? {}) as Record<string, Written>).map(([field, written]) => {
    const schema = follow<Schema>(document, written)
    const values = schema.enum ? ` One of ${schema.enum.map(value => `\`${value}\``).join(', ')}.` : ''
    return [`\`${field}\``, typeOf(document, written), oneLine(schema.description ?? '') + values]
  })
  return table(['Field', 'Type', 'Meaning'], rows)
}

/** Every object of the contract with fields of its own, but the envelopes around answers. */
export function fieldSections(contract: Contract): string {
  const schemas = (contract.document.components?.schemas ?? {}) as Record<string, Schema>
  return Object.entries(schemas)
    .filter(([name, { properties }]) => properties && !/Envelope$|Page$|List$/.test(name))
    .map(
      ([name, { description }]) =>
        `## ${name}\n\n${oneLine(description ?? '')}\n\n${fieldTable(contract, name)}`,
    )
    .join('\n\n')
}

function typeOf(document: Contract['document'], written: Written): string {
  const named = '$ref' in written ? written.$ref.split('/').at(-1)! : null
  const schema = follow<Schema>(document, written)
  if (named && schema.properties)
    return `[${named}](#${named.toLowerCase()})${isNullable(schema) ? ' or null' : ''}`
  const items = 'items' in schema && schema.items ? `list of ${typeOf(document, schema.items)}` : null
  const types = [schema.type ?? []].flat().filter(type => type !== 'null')
  const format = schema.format && !/^(int32|int64|double)$/.test(schema.format) ? schema.format : null
  return `${items ?? format ?? types.join(' or ')}${isNullable(schema) ? ' or null' : ''}`
}

function isNullable({ type }: Schema): boolean {
  return [type].flat().includes('null')
}
