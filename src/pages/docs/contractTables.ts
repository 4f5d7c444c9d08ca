import type { OpenAPIV3_1 } from 'openapi-types'
import {
  type Contract,
  follow,
  isNullable,
  type Operation,
} from '../../contract/document.ts'
import { ERRORS } from '../../contract/errors.ts'
import { PLANS } from '../../contract/plans.ts'
import { oneLine } from '../../contract/text.ts'
import type { Schemas } from '../../contract/types.ts'
import { formatNumber, span } from '../../domain/format.ts'
import type { Deps } from '../../usecases/deps.ts'
import { SOURCE_COUNTS } from '../../usecases/ingestion/trackedSources.ts'
import { withOwnUrls } from './servedContract.ts'

/**
 * The placeholders of the guides: this service's addresses, and tables in
 * Markdown from the contract and from the code that enforces them.
 */
export function placeholders(
  contract: Contract,
  contact: string,
  {
    publicUrl,
    agentsUrl: agents,
    sweepPlans,
  }: Pick<Deps, 'publicUrl' | 'agentsUrl' | 'sweepPlans'>,
): Record<string, string> {
  const { operations, document } = contract
  const { calls_per_month, calls_per_minute } = PLANS.free
  const comps = exampleNamed<Schemas['CompsEnvelope']>(
    document,
    'getCompsListing',
  )
  const ownUrls = withOwnUrls(contract, publicUrl)
  const json = (example: unknown) => ownUrls(JSON.stringify(example, null, 2))
  return {
    base_url: publicUrl,
    contact,
    agents_address: agents ? `${agents}/mcp` : '',
    ...agentLinks(`${publicUrl}/api/v1/mcp`),
    free_calls_per_month: formatNumber(calls_per_month),
    free_calls_per_minute: formatNumber(calls_per_minute),
    operation_table: table(
      ['Operation', 'From plan'],
      operations.flatMap(plansOf),
    ),
    plan_table: table(
      ['Plan', 'Calls a month:', 'Calls a minute:'],
      Object.values(PLANS).map(
        ({ name, calls_per_month, calls_per_minute }) => {
          return [
            name,
            formatNumber(calls_per_month),
            formatNumber(calls_per_minute),
          ]
        },
      ),
    ),
    error_sections: errorSections(),
    deprecation_table: deprecationTable(operations),
    alert_plan_table: table(
      ['Plan', 'Alerts:', 'Email', 'Webhook endpoints:'],
      Object.values(PLANS).map(({ name, alerts }) => {
        const mail = alerts.isInstant
          ? 'instantly, daily or weekly'
          : 'daily or weekly'
        return [
          name,
          formatNumber(alerts.searches),
          mail,
          formatNumber(alerts.endpoints),
        ]
      }),
    ),
    alert_example: json(exampleNamed(document, 'lotMatched')),
    sources_tracked: String(SOURCE_COUNTS.tracked),
    sources_fetched: String(SOURCE_COUNTS.fetched),
    sweep_intervals: sweepIntervals(sweepPlans),
    contract_version: document.info.version,
    comps_example: json(comps),
    comps_sales: formatNumber(comps.data.sold_count),
    csv_columns: fieldTable(contract, 'Listing'),
    field_sections: fieldSections(contract),
  }
}

/**
 * "GSA every 15 min, every 2 min on the days on which its lots end; the others
 * every 1 h or every 1 day", by the settings.
 */
function sweepIntervals({ gsa, ...others }: Deps['sweepPlans']) {
  const everyOf = (intervals: number[]) => {
    return [...new Set(intervals)]
      .toSorted((a, b) => a - b)
      .map(each => `every ${span(each)}`)
      .join(' or ')
  }
  const { closing, intervalMs, leastGapMs } = gsa!
  const calmMs = Math.max(intervalMs, leastGapMs)
  const closingMs = Math.max(closing?.intervalMs ?? calmMs, leastGapMs)
  const onEnds =
    closingMs < calmMs
      ? `, ${everyOf([closingMs])} on the days on which its lots end`
      : ''
  const ofOthers = Object.values(others).map(plan =>
    Math.max(plan.intervalMs, plan.leastGapMs),
  )
  return `GSA ${everyOf([calmMs])}${onEnds}; the others ${everyOf(ofOthers)}`
}

/**
 * The address of the agent endpoint, and what installs it in a client with one
 * click.
 */
function agentLinks(url: string) {
  const server = { name: 'surplus', type: 'http', url }
  const config = Buffer.from(JSON.stringify({ url })).toString('base64')
  return {
    mcp_address: url,
    cursor_link: `cursor://anysphere.cursor-deeplink/mcp/install?name=surplus&config=${encodeURIComponent(config)}`,
    vscode_link: `vscode:mcp/install?${encodeURIComponent(JSON.stringify(server))}`,
    vscode_server: JSON.stringify(server),
  }
}

/** The plan of an operation, and of each parameter that needs a larger one. */
function plansOf({ method, path, plan, parameters }: Operation) {
  const name = `${method.toUpperCase()} ${path}`
  const gated = parameters.flatMap(parameter =>
    parameter.plan
      ? [[`\`${name}?${parameter.name}=…\``, PLANS[parameter.plan].name]]
      : [],
  )
  return [[`\`${name}\``, plan ? PLANS[plan].name : 'no key needed'], ...gated]
}

/** The body of an example of the contract, by its name. */
function exampleNamed<T>(
  { components }: Contract['document'],
  name: string,
): T {
  return (components!.examples![name] as OpenAPIV3_1.ExampleObject).value
}

/** An error answer's `docs` leads to the section of its code. */
function errorSections() {
  return Object.entries(ERRORS)
    .map(([code, { status, condition, remedy }]) => {
      return `## \`${code}\` ${status} {#${code}}\n\n${condition}\n\n${remedy.replaceAll('<', '&lt;')}`
    })
    .join('\n\n')
}

function deprecationTable(operations: Operation[]) {
  const day = (date: Date) => date.toISOString().slice(0, 10)
  const rows = operations.flatMap(({ method, path, deprecation }) =>
    deprecation
      ? [
          [
            `\`${method.toUpperCase()} ${path}\``,
            day(deprecation.deprecatedAt),
            day(deprecation.sunsetAt),
          ],
        ]
      : [],
  )
  if (rows.length === 0) return 'No operation is deprecated.'
  return table(['Operation', 'Deprecated', 'Stops answering'], rows)
}

type Schema = OpenAPIV3_1.SchemaObject
type Written = OpenAPIV3_1.ReferenceObject | Schema

/**
 * A Markdown table.
 * @param head a name that ends with a colon is that of a column of numbers.
 */
function table(head: string[], rows: string[][]) {
  const line = (cells: string[]) =>
    `| ${cells.map(cell => cell.replaceAll('|', '\\|')).join(' | ')} |`
  return [
    line(head.map(name => name.replace(/:$/, ''))),
    line(head.map(name => (name.endsWith(':') ? '---:' : '---'))),
    ...rows.map(line),
  ].join('\n')
}

/**
 * The fields of a schema of the contract, in its order, with types and
 * meanings.
 */
function fieldTable({ document }: Contract, name: string) {
  const { properties } = document.components?.schemas?.[name] ?? {}
  const rows = Object.entries(
    (properties ?? {}) as Record<string, Written>,
  ).map(([field, written]) => {
    const schema = follow<Schema>(document, written)
    const values = schema.enum
      ? ` One of ${schema.enum.map(value => `\`${value}\``).join(', ')}.`
      : ''
    const meaning =
      'description' in written ? written.description : schema.description
    return [
      `\`${field}\``,
      typeOf(document, written),
      oneLine(meaning ?? '') + values,
    ]
  })
  return table(['Field', 'Type', 'Meaning'], rows)
}

/**
 * Every object of the contract with fields of its own, but the envelopes around
 * answers.
 */
function fieldSections(contract: Contract) {
  const schemas = (contract.document.components?.schemas ?? {}) as Record<
    string,
    Schema
  >
  return Object.entries(schemas)
    .filter(
      ([name, { properties }]) =>
        properties && !/Envelope$|Page$|List$/.test(name),
    )
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
    return `[${named}](#${named.toLowerCase()})${isNullable(document, schema) ? ' or null' : ''}`
  const items =
    'items' in schema && schema.items
      ? `list of ${typeOf(document, schema.items)}`
      : null
  const types = [schema.type ?? []].flat().filter(type => type !== 'null')
  const format =
    schema.format && !/^(int32|int64|double)$/.test(schema.format)
      ? schema.format
      : null
  return `${items ?? format ?? types.join(' or ')}${isNullable(document, schema) ? ' or null' : ''}`
}
