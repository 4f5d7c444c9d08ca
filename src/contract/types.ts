import type { IncomingHttpHeaders } from 'node:http'
import type {
  components,
  operations,
  webhooks,
} from '../../generated/openapi.ts'
import type { CsvFile } from './csvFile.ts'
import type { RpcAnswer } from './rpcAnswer.ts'

/** Every operation of the contract, by its name. */
export type OperationId = Exclude<keyof operations, keyof webhooks>

export type Schemas = components['schemas']
export type Listing = Schemas['Listing']
export type ListingDetail = Schemas['ListingDetail']
export type ErrorCode = Schemas['ErrorCode']

type Parameters<Op extends OperationId> = operations[Op]['parameters']
type Query<Op extends OperationId> =
  Parameters<Op> extends { query?: infer Q }
    ? [Q] extends [undefined]
      ? unknown
      : NonNullable<Q>
    : unknown
type Path<Op extends OperationId> =
  Parameters<Op> extends { path: infer P } ? P : unknown

/**
 * The query parameters that the contract gives a default, so that they are
 * always there after validation.
 */
export const DEFAULTED_PARAMETERS = [
  'radius_miles',
  'no_bids',
  'buy_now',
  'bom',
  'page',
  'per_page',
] as const
/**
 * The operations whose `sort` has a default; elsewhere the order depends on
 * whether words are sent.
 */
export const DEFAULTED_SORTS = ['searchSales'] as const
type Defaulted<Op> =
  | (typeof DEFAULTED_PARAMETERS)[number]
  | (Op extends (typeof DEFAULTED_SORTS)[number] ? 'sort' : never)
type WithDefaults<Op, T> = T & {
  [K in keyof T & Defaulted<Op>]-?: NonNullable<T[K]>
}

/**
 * The input of a handler: the path and query parameters, checked, typed and
 * with the contract's defaults; where it takes a body, the request.
 */
export type Input<Op extends OperationId> = operations[Op] extends {
  requestBody: unknown
}
  ? RpcCall
  : WithDefaults<Op, Query<Op>> & Path<Op>

/** An HTTP request of the agent endpoint, before the protocol has read it. */
export interface RpcCall {
  /** Parsed JSON; undefined without a body. */
  body: unknown
  query: SentQuery
  headers: IncomingHttpHeaders
}

/**
 * A query string, decoded pair by pair in the order sent; `fault` says why it
 * cannot be read.
 */
export interface SentQuery {
  pairs: [name: string, value: string][]
  fault: string | null
}

type Content<Op extends OperationId> = operations[Op]['responses'] extends {
  200: { content: infer C }
}
  ? C
  : never

/**
 * The answer of a handler: the JSON body of its 200, a CSV file, or a response
 * of the agent endpoint.
 */
export type Ok<Op extends OperationId> = operations[Op] extends {
  requestBody: unknown
}
  ? RpcAnswer
  : Content<Op> extends { 'application/json': infer Body }
    ? Body
    : CsvFile
