import type { IncomingHttpHeaders } from 'node:http'
import type { components, operations, webhooks } from '../../generated/openapi.ts'

/** Every operation of the contract, by its name. */
export type OperationId = Exclude<keyof operations, keyof webhooks>

export type Schemas = components['schemas']
export type Listing = Schemas['Listing']
export type ListingDetail = Schemas['ListingDetail']
export type ErrorCode = Schemas['ErrorCode']

type Parameters<Op extends OperationId> = operations[Op]['parameters']
type Query<Op extends OperationId> =
  Parameters<Op> extends { query?: infer Q } ? ([Q] extends [undefined] ? unknown : NonNullable<Q>) : unknown
type Path<Op extends OperationId> = Parameters<Op> extends { path: infer P } ? P : unknown

/** The query parameters that the contract gives a default, so that they are always there after validation. */
export const DEFAULTED_PARAMETERS = ['radius_miles', 'no_bids', 'buy_now', 'page', 'per_page'] as const
/** The operations whose `sort` has a default; elsewhere the order depends on whether words are sent. */
export const DEFAULTED_SORTS = ['searchSales'] as const
type Defaulted<Op> =
  | (typeof DEFAULTED_PARAMETERS)[number]
  | (Op extends (typeof DEFAULTED_SORTS)[number] ? 'sort' : never)
type WithDefaults<Op, T> = T & { [K in keyof T & Defaulted<Op>]-?: NonNullable<T[K]> }

/** The input of a handler: the path and query parameters, checked, typed and with the contract's defaults; of `callMcp` the request. */
export type Input<Op extends OperationId> = Op extends 'callMcp'
  ? RpcCall
  : WithDefaults<Op, Query<Op>> & Path<Op>

/** An HTTP request of the agent endpoint, before the protocol has read it. */
export interface RpcCall {
  /** Parsed JSON; undefined without a body. */
  body: unknown
  query: SentQuery
  headers: IncomingHttpHeaders
}

/** A query string, decoded pair by pair in the order sent; `fault` says why it cannot be read. */
export interface SentQuery {
  pairs: [name: string, value: string][]
  fault: string | null
}

/** A response of the agent endpoint. */
export interface RpcAnswer {
  status: number
  /** JSON; null for a response without a body. */
  text: string | null
  /** Whether it is the same for everybody. */
  isFixed?: boolean
  /** Why a tool could not answer for a moment: the call is given back. */
  unavailable?: Error | undefined
}

/** A CSV file whose rows have all been read, so that only the connection to the client can cut it. */
export interface CsvFile {
  filename: string
  /** The header. */
  columns: string[]
  /** Of each row, a JSON array of its cells (string or null) in the order of the columns: parsed when it is written, it is garbage soon. */
  lines: string[]
  totalCount: number
}

type Content<Op extends OperationId> = operations[Op]['responses'] extends { 200: { content: infer C } }
  ? C
  : never

/** The answer of a handler: the JSON body of its 200, a CSV file, or a response of the agent endpoint. */
export type Ok<Op extends OperationId> = Op extends 'callMcp'
  ? RpcAnswer
  : Content<Op> extends { 'application/json': infer Body }
    ? Body
    : CsvFile
