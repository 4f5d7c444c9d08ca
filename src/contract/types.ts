import type { components, operations, webhooks } from '../../generated/openapi.ts'

/** Every operation of the contract, by its name. */
export type OperationId = Exclude<keyof operations, keyof webhooks>

export type Schemas = components['schemas']
export type Listing = Schemas['Listing']
export type ListingDetail = Schemas['ListingDetail']
export type ErrorCode = Schemas['ErrorCode']

type Parameters<Op extends OperationId> = operations[Op]['parameters']
type Query<Op extends OperationId> = Parameters<Op> extends { query?: infer Q } ? NonNullable<Q> : unknown
type Path<Op extends OperationId> = Parameters<Op> extends { path: infer P } ? P : unknown

/** The query parameters that the contract gives a default, so that they are always there after validation. */
export const DEFAULTED_PARAMETERS = ['radius_miles', 'no_bids', 'buy_now', 'page', 'per_page'] as const
/** The operations whose `sort` has a default; elsewhere the order depends on whether words are sent. */
export const DEFAULTED_SORTS = ['searchSales'] as const
type Defaulted<Op> =
  | (typeof DEFAULTED_PARAMETERS)[number]
  | (Op extends (typeof DEFAULTED_SORTS)[number] ? 'sort' : never)
type WithDefaults<Op, T> = T & { [K in keyof T & Defaulted<Op>]-?: NonNullable<T[K]> }

/** What a handler is given: the path and query parameters, checked, typed and with the contract's defaults. */
export type Input<Op extends OperationId> = WithDefaults<Op, Query<Op>> & Path<Op>

/** A CSV file whose rows have all been read, so that only the connection to the client can cut it. */
export interface CsvFile {
  filename: string
  /** The header. */
  columns: string[]
  /** Each a JSON array of the cells as text or null, in the order of the file. */
  rows: string[]
  totalCount: number
}

type Content<Op extends OperationId> = operations[Op]['responses'] extends { 200: { content: infer C } }
  ? C
  : never

/** What a handler answers: the JSON body of its 200, or a CSV file. */
export type Ok<Op extends OperationId> =
  Content<Op> extends { 'application/json': infer Body } ? Body : CsvFile
