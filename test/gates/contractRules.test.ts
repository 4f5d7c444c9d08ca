import type { OpenAPIV3_1 } from 'openapi-types'
import { describe, expect, it } from 'vitest'
import { follow } from '../../src/contract/document.ts'
import { PLAN_IDS, PLANS } from '../../src/contract/plans.ts'
import { DEFAULTED_PARAMETERS, DEFAULTED_SORTS } from '../../src/contract/types.ts'
import { contract } from '../support/contract/contract.ts'

const schemas = contract.document.components?.schemas as Record<string, OpenAPIV3_1.SchemaObject>
const operation = (name: string) =>
  contract.operations.find(({ operationId }) => operationId === name)!

/** The parameters of an operation by name: what they allow, without words. */
function parametersOf(name: string): Record<string, object> {
  const told = operation(name).parameters.map(({ name: parameter, schema, plan }) => {
    const { type, enum: values, minimum, maximum, default: fallback, pattern } = schema
    const format = schema.format === 'uuid' ? 'uuid' : undefined
    const facts = Object.entries({
      type,
      values,
      minimum,
      maximum,
      fallback,
      format,
      pattern,
      plan,
    })
    return [
      parameter,
      Object.fromEntries(facts.filter(([, value]) => value !== undefined && value !== null)),
    ]
  })
  return Object.fromEntries(told)
}

const CATEGORIES = [
  'vehicles heavy-equipment electronics office-furniture tools-industrial medical-scientific',
  'military-surplus real-estate seized-property other',
].flatMap(line => line.split(' '))
const text = { type: 'string' }
const whole = (minimum: number, maximum: number, fallback?: number) => ({
  type: 'integer',
  minimum,
  maximum,
  ...(fallback === undefined ? {} : { fallback }),
})
const PAGE = whole(1, 200, 1)
const percent = { type: 'number', minimum: 0, maximum: 100 }
const PRICE = { type: 'number', minimum: 0, maximum: 1_000_000_000 }
const SORTS = [
  'ending_soon',
  'newest',
  'price_low',
  'price_high',
  'most_bids',
  'best_deals',
  'most_profit',
  'nearest',
  'room',
]
const SALE_SORTS = ['newest', 'oldest', 'price_low', 'price_high', 'most_bids']

/**
 * The tables of the specification, and what it leaves open as it was decided (defaults, spellings).
 */
const FILTERS = {
  q: text,
  category: { ...text, values: CATEGORIES },
  state: { type: 'string', pattern: '^[A-Za-z]{2}$' },
  source: text,
  zip: { type: 'string', pattern: '^[0-9]{5}(-[0-9]{4})?$' },
  radius_miles: whole(1, 200, 50),
  price_min: PRICE,
  price_max: PRICE,
  sort: { type: 'string', values: SORTS },
  no_bids: { type: 'boolean', fallback: false },
  buy_now: { type: 'boolean', fallback: false },
  closing_within_hours: whole(1, 8760),
  min_flip_score: whole(0, 100),
  value_min: PRICE,
  ends_before: { type: 'string', pattern: '^[0-9]{4}-[0-9]{2}-[0-9]{2}$' },
  vehicle_year_min: whole(1900, 2100),
  vehicle_year_max: whole(1900, 2100),
  vehicle_make: text,
  auction: text,
  odometer_max: whole(0, 2_000_000),
  hours_max: whole(0, 200_000),
  runs: { type: 'boolean' },
}
const UUID = '^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}$'
const DAY = '^[0-9]{4}-[0-9]{2}-[0-9]{2}$'
const { category, state, source, price_min, price_max } = FILTERS
const PAGES = { page: PAGE, per_page: whole(1, 50, 20) }
const PARAMETERS = {
  searchListings: {
    ...FILTERS,
    ...PAGES,
    group: { type: 'string', values: ['none', 'sale'] },
    ids: { type: 'string', pattern: '^[^,]+(,[^,]+){0,49}$' },
  },
  getListing: { id: text },
  listBids: { id: text },
  listChanges: {
    cursor: { type: 'string', pattern: '^(latest|[0-9]{1,18}(-[0-9a-f]{8})?)$' },
    source,
    kind: {
      type: 'string',
      values: [
        ...['listed', 'bid', 'end_moved', 'price', 'details'],
        ...['withdrawn', 'ended', 'sold', 'unsold', 'reopened', 'score'],
      ],
    },
    category,
    state,
    per_page: whole(1, 500, 100),
  },
  listSources: {},
  getComps: {
    listing_id: { type: 'string', format: 'uuid', pattern: UUID, plan: 'pro' },
    q: { ...text, plan: 'pro' },
    titles: { type: 'array', plan: 'pro' },
    item: { ...text, plan: 'pro' },
    category,
    state,
    buyer_zip: { ...FILTERS.zip, plan: 'pro' },
    cost_per_mile: { ...percent, plan: 'pro' },
    tax_percent: { ...percent, plan: 'pro' },
    surcharge_percent: { ...percent, plan: 'pro' },
    resale_cost_percent: { ...percent, plan: 'pro' },
    margin_percent: { ...percent, maximum: 1_000, plan: 'pro' },
    fixed_cost_cents: { ...whole(0, 1_000_000_000), plan: 'pro' },
  },
  listItems: {},
  searchSales: {
    q: text,
    category,
    state,
    source,
    item: text,
    price_min,
    price_max,
    sold_after: { type: 'string', pattern: DAY },
    sold_before: { type: 'string', pattern: DAY },
    sort: { ...text, values: SALE_SORTS, fallback: 'newest' },
    ...PAGES,
  },
  getFlipScore: { id: text },
  exportListings: { ...FILTERS, bom: { type: 'boolean', fallback: false } },
  listArchives: {
    month: { type: 'string', pattern: '^[0-9]{4}-(0[1-9]|1[0-2])$' },
    table: { type: 'string', values: ['lots', 'sales', 'changes', 'feed'] },
    format: { type: 'string', values: ['parquet', 'jsonl', 'csv'] },
    ...PAGES,
  },
  callMcp: {},
}

describe('the contract', () => {
  it('has the seven operations of the specification and those beyond it, each under its address, for its plan', () => {
    expect(
      contract.operations.map(({ operationId, method, path, plan }) => [
        operationId,
        method,
        path,
        plan,
      ]),
    ).toEqual([
      ['searchListings', 'get', '/api/v1/listings', 'free'],
      ['getListing', 'get', '/api/v1/listings/{id}', 'free'],
      ['listBids', 'get', '/api/v1/listings/{id}/bids', 'pro_plus'],
      ['listChanges', 'get', '/api/v1/changes', 'pro_plus'],
      ['listSources', 'get', '/api/v1/sources', 'free'],
      ['listItems', 'get', '/api/v1/items', 'free'],
      ['searchSales', 'get', '/api/v1/sales', 'pro'],
      ['getComps', 'get', '/api/v1/comps', 'free'],
      ['getFlipScore', 'get', '/api/v1/flip-score/{id}', 'pro'],
      ['exportListings', 'get', '/api/v1/export', 'pro_plus'],
      ['listArchives', 'get', '/api/v1/archives', 'enterprise'],
      ['callMcp', 'post', '/api/v1/mcp', null],
    ])
  })

  it('has no operation whose parameters are missing in this test', () => {
    const names = contract.operations.map(({ operationId }) => operationId)
    expect(Object.keys(PARAMETERS).toSorted()).toEqual(names.toSorted())
  })

  it.each(Object.entries(PARAMETERS))(
    'gives %s the parameters of the specification with their bounds',
    (name, expected) => {
      expect(parametersOf(name)).toEqual(expected)
    },
  )

  it('leaves the lists open that may grow', () => {
    const { status, source, condition_grade } = schemas.Listing!.properties as Record<
      string,
      OpenAPIV3_1.SchemaObject
    >
    for (const open of [status, source, condition_grade]) expect(open?.enum).toBeUndefined()
  })

  it('closes no list in what it sends but those of categories, error codes and kinds of data', () => {
    const { paths, webhooks, components } = contract.document
    const successes = Object.values(paths!).flatMap(item =>
      Object.values(item as Record<string, OpenAPIV3_1.OperationObject>).map(
        ({ responses = {} }) => responses['200'] ?? responses['202'],
      ),
    )
    const refusals = Object.values(components!.responses!)
    const closed = [...successes, ...refusals, webhooks].flatMap(sent => enumsIn(sent))
    const { Category, ErrorCode } = schemas
    const kinds = follow<OpenAPIV3_1.HeaderObject>(
      contract.document,
      components!.headers!['X-Data']!,
    )
    expect(new Set(closed)).toEqual(new Set([Category, ErrorCode, kinds.schema]))
    expect(closed.length).toBeGreaterThan(20)
  })

  it.each([
    ['MatchedChange', 'kind', 'AlertKind'],
    ['Change', 'kind', 'ChangeKind'],
    ['ArchiveFile', 'table', 'ArchiveTable'],
    ['ArchiveFile', 'format', 'ArchiveFormat'],
  ])(
    'names the known values of %s.%s, which are those of %s, and says that more may come',
    (of, name, list) => {
      const { type, description = '' } = schemas[of]!.properties![name] as OpenAPIV3_1.SchemaObject
      expect(type).toBe('string')
      expect([...description.matchAll(/`(\w+)`/g)].map(([, value]) => value)).toEqual(
        schemas[list]!.enum,
      )
      expect(description).toMatch(/More (kinds )?may be added/)
    },
  )

  it('marks the parameters that may only be sent alone, and says so to people', () => {
    for (const { parameters } of contract.operations)
      for (const { name, isAlone, description } of parameters)
        expect([name, isAlone]).toEqual([name, /goes with no other parameter/.test(description)])
  })

  it('tells the plans of src/contract/plans.ts in the table of its description', () => {
    const rows = [
      ...contract.document.info.description!.matchAll(/^\| (\w+) \| ([^|]+) \| ([^|]+) \|/gm),
    ]
    const told = Object.fromEntries(
      rows.slice(1).map(([, plan, month, minute]) => [plan, [month, minute]]),
    )
    const count = (calls: number) => calls.toLocaleString('en-US')
    expect(told).toEqual({
      ...Object.fromEntries(
        PLAN_IDS.map(plan => [
          plan,
          [count(PLANS[plan].calls_per_month), count(PLANS[plan].calls_per_minute)],
        ]),
      ),
      enterprise: ['by contract', 'by contract'],
    })
  })

  it('requires every property of every answer, unknown ones being null', () => {
    for (const [name, schema] of Object.entries(schemas)) {
      // JSON-RPC says which properties of a message are required.
      if (!schema.properties || name === 'ApiError' || name === 'McpMessage') continue
      expect(schema.required, name).toEqual(Object.keys(schema.properties))
    }
    expect(schemas.ApiError?.required).toEqual(['error', 'code', 'docs'])
  })

  it('names the plan in the first words of what needs more than Free, and nowhere in security', () => {
    for (const { path, method, plan, parameters, operationId } of contract.operations) {
      const { description = '', security } = contract.document.paths![path]![method]!
      const told = [{ name: operationId, description, plan }, ...parameters]
      for (const one of told) {
        const [, named] = /^Plan: (\S+)\. /.exec(one.description.replaceAll('\n', ' ')) ?? []
        const needed = one.plan && one.plan !== 'free' ? PLANS[one.plan].name : undefined
        expect([one.name, named]).toEqual([one.name, needed])
      }
      expect(security, operationId).toEqual(plan === null ? [{}, { bearerAuth: [] }] : undefined)
    }
    expect(contract.document.security).toEqual([{ bearerAuth: [] }])
  })

  it('has no parameter named like a schema, which would be the second of that name in a client', () => {
    const named = Object.keys(contract.document.components!.parameters!).map(name =>
      name.toLowerCase(),
    )
    expect(Object.keys(schemas).filter(name => named.includes(name.toLowerCase()))).toEqual([])
  })

  it('shows one lot with the same values in every example', () => {
    const lots = found(contract.document, 'id', '0b1f3c9e-5d0a-3f6b-8c1d-2f6a7b8c9d0e')
    const known = Object.assign({}, ...lots)
    for (const { distance_miles: _ofSearch, ...lot } of lots) expect(known).toMatchObject(lot)
    expect(lots).toHaveLength(5)
    const [example] = found(contract.document, 'score_version', '4')
    const points = Object.entries(example!.factors as object).filter(([name]) =>
      name.endsWith('_points'),
    )
    expect(points.reduce((sum, [, value]) => sum + value, 50)).toBe(known.flip_score)
  })

  it('bounds no number, text or list that it sends but those on a scale', () => {
    const bounded =
      JSON.stringify(schemas).match(/"(\w+)":\{[^{}]*"(?:maximum|maxLength|maxItems)":[^{}]*\}/g) ??
      []
    const names = new Set(bounded.map(text => text.split('"')[1]))
    expect([...names].toSorted()).toEqual([
      'confidence',
      'flip_score',
      'no_bid_chance',
      'price_score',
      'similarity',
    ])
  })

  it('never says which month a 5xx belongs to, and always when to come back from a 503', () => {
    const { responses } = contract.document.components as {
      responses: Record<string, { headers: object }>
    }
    expect(Object.keys(responses.Unavailable!.headers)).toContain('Retry-After')
    expect(Object.keys(responses.TooManyRequests!.headers)).toContain('Retry-After')
  })
})

describe('openapi.yaml', () => {
  const lines = contract.text.trimEnd().split('\n')
  const paths = lines.slice(lines.indexOf('paths:') + 1, lines.indexOf('webhooks:'))

  it('reads like a page: at most 43 lines of paths for each operation, and 2,952 in all', () => {
    expect(paths.length).toBeGreaterThan(300)
    expect(paths.length / contract.operations.length).toBeLessThanOrEqual(43)
    expect(lines.length).toBeLessThanOrEqual(2_952)
  })

  it('has its examples of answers at the end, and each set of headers once, with fewer than 50 aliases', () => {
    const { paths, webhooks } = contract.document
    expect(JSON.stringify([paths, webhooks])).not.toMatch(/"(example|value)":/)
    const sets = contract.text
      .match(/^ +headers:\n(?: +[\w-]+: \{.*\n)+/gm)!
      .map(set => set.replace(/^ +/gm, ''))
    expect(new Set(sets).size).toBe(sets.length)
    expect(contract.text.match(/[:-] \*\w+$/gm)!.length).toBeLessThan(50)
  })
})

describe('what follows the contract', () => {
  it('DEFAULTED_PARAMETERS are those that it gives a default, and DEFAULTED_SORTS where a sort has one', () => {
    const defaulted = contract.operations.flatMap(({ parameters }) =>
      parameters.filter(({ schema }) => schema.default !== undefined).map(({ name }) => name),
    )
    expect([...DEFAULTED_PARAMETERS, 'sort'].toSorted()).toEqual([...new Set(defaulted)].toSorted())
    const sorted = contract.operations.filter(({ parameters }) =>
      parameters.some(({ name, schema }) => name === 'sort' && schema.default !== undefined),
    )
    expect(sorted.map(({ operationId }) => operationId)).toEqual([...DEFAULTED_SORTS])
  })
})

/** The objects of a document, at any depth, whose property has a value. */
function found(value: unknown, property: string, wanted: string): Record<string, unknown>[] {
  if (value === null || typeof value !== 'object') return []
  const own =
    (value as Record<string, unknown>)[property] === wanted
      ? [value as Record<string, unknown>]
      : []
  return [...own, ...Object.values(value).flatMap(one => found(one, property, wanted))]
}

/**
 * The schemas with an `enum` that a part of the contract leads to, through every reference, each as
 * often as it is reached.
 */
function enumsIn(value: unknown, above: object[] = []): unknown[] {
  if (value === null || typeof value !== 'object') return []
  const target = follow<object>(contract.document, value)
  if (above.includes(target)) return []
  const parts = Object.entries(target).filter(([name]) => !/^examples?$/.test(name))
  const own = 'enum' in target ? [target] : []
  return [...own, ...parts.flatMap(([, part]) => enumsIn(part, [...above, target]))]
}
