import { ApiError } from '../domain/errors.ts'

/** The codes of JSON-RPC 2.0, section 5.1. */
export const PARSE_ERROR = -32_700
export const INVALID_REQUEST = -32_600
export const METHOD_NOT_FOUND = -32_601

type Id = string | number | null

/** A message that is refused before it reaches a leg; the HTTP body is a JSON-RPC error. */
export class RpcRefusal extends ApiError {
  readonly rpcCode: number
  readonly id: Id

  constructor(status: 400 | 404, rpcCode: number, message: string, id: Id = null) {
    super('invalid_request', message, { status })
    this.rpcCode = rpcCode
    this.id = id
  }
}

/**
 * A refusal as the agent endpoint words it: what is wrong with the message is a JSON-RPC error (400, 404), a bad key gets
 * the challenge of RFC 6750, section 3.1; everything else has the error body of the contract.
 */
export function refuse(error: ApiError): { headers: Record<string, string>; body: object | null } {
  const headers: Record<string, string> =
    error.code === 'invalid_api_key'
      ? { 'WWW-Authenticate': 'Bearer realm="mcp", error="invalid_token"' }
      : {}
  if (error.status !== 400 && error.status !== 404) return { headers, body: null }
  // A body that cannot be read is refused by its parser.
  const { rpcCode: code, id } = error instanceof RpcRefusal ? error : { rpcCode: PARSE_ERROR, id: null }
  return { headers, body: { jsonrpc: '2.0', id, error: { code, message: error.message } } }
}
