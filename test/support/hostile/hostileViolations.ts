import type { OpenAPIV3_1 } from 'openapi-types'
import { ERRORS } from '../../../src/contract/errors.ts'
import type { ErrorCode, OperationId } from '../../../src/contract/types.ts'
import { contract } from '../contract/contract.ts'
import { responseValidator } from '../contract/responseValidator.ts'
import { ALLOWANCE_MS } from '../service/load.ts'
import type { Answer } from '../service/rawHttp.ts'
import { PUBLIC_URL } from '../service/testSettings.ts'

const LONGEST_MS = 2_000 + ALLOWANCE_MS
/** Refusals of the transport, which no operation documents. */
const OF_NO_OPERATION = [405, 408, 414, 417, 431]
const ELSEWHERE = [...OF_NO_OPERATION, 200, 204, 304, 400, 401, 404, 413, 415, 429]
const { ErrorCode: codes } = contract.document.components?.schemas ?? {}
const CODES = new Set((codes as OpenAPIV3_1.SchemaObject).enum)
/** Words of PostgreSQL, of the driver and of a stack trace, which no caller may ever read. */
const LEAKS = [
  'PostgresError|SQLSTATE|syntax error|invalid input syntax|invalid byte sequence|unterminated',
  'websearch_to_tsquery|relation "|column "|node_modules|.ts:|.js:|TypeError|RangeError|URIError',
  'SyntaxError|    at |Cannot read|is not a function|undefined',
].flatMap(line => line.split('|'))

/**
 * What is wrong with an answer to a hostile request: nothing, or sentences. Never 500 and never
 * late; every error has the error body; a documented operation answers as its contract says;
 * nothing of the inside leaks out.
 * @param echoed what was sent, which an answer may repeat.
 */
export function violationsOf(answer: Answer, asked: OperationId | null, echoed = ''): string[] {
  const { status, headers, tookMs } = answer
  const operationId = OF_NO_OPERATION.includes(status) ? null : asked
  const faults: string[] = []
  if (tookMs > LONGEST_MS) faults.push(`took ${Math.round(tookMs)} ms`)
  if (!statusesOf(operationId).includes(status)) faults.push(`status ${status}`)
  if (headers['x-injected'] !== undefined || headers['set-cookie'] !== undefined)
    faults.push('a header was injected')
  if (headers['x-content-type-options'] !== 'nosniff') faults.push('no nosniff')
  if (!headers['x-request-id']) faults.push('no request id')
  if (operationId === 'callMcp' && [400, 404].includes(status))
    faults.push(...faultsOfRpcError(answer, echoed))
  else if (status >= 400) faults.push(...faultsOfError(answer, echoed))
  if (operationId)
    faults.push(
      ...responseValidator.faultsOf(operationId, { status, headers, body: jsonOf(answer) }),
    )
  return faults
}

function statusesOf(operationId: OperationId | null): number[] {
  const operation = contract.operations.find(known => known.operationId === operationId)
  if (!operation) return ELSEWHERE
  return operation.statuses.filter(status => status !== 500 && status !== 503)
}

function faultsOfError(answer: Answer, echoed: string): string[] {
  const body = jsonOf(answer) as Record<string, unknown> | undefined
  if (!/^application\/json/.test(answer.headers['content-type'] ?? '') || typeof body !== 'object')
    return [`${answer.status} is not JSON: ${answer.body.slice(0, 100)}`]
  const faults: string[] = []
  if (typeof body.error !== 'string' || body.error === '') faults.push('no sentence in "error"')
  const code = body.code as ErrorCode
  if (!CODES.has(code)) faults.push(`unknown code ${code}`)
  else if (![ERRORS[code].status, ...ERRORS[code].other_statuses].includes(answer.status))
    faults.push(`${answer.status} with code ${code}`)
  if (body.docs !== `${PUBLIC_URL}/docs/errors#${body.code}`) faults.push(`docs are ${body.docs}`)
  return [...faults, ...leaksIn(answer, echoed)]
}

/** What is wrong with a message is a JSON-RPC error. */
function faultsOfRpcError(answer: Answer, echoed: string): string[] {
  const body = jsonOf(answer) as
    | { jsonrpc?: string; error?: { code?: number; message?: string } }
    | undefined
  const isRpc =
    body?.jsonrpc === '2.0' && Number.isInteger(body.error?.code) && Boolean(body.error?.message)
  return [
    ...(isRpc ? [] : [`no JSON-RPC error: ${answer.body.slice(0, 100)}`]),
    ...leaksIn(answer, echoed),
  ]
}

function leaksIn(answer: Answer, echoed: string): string[] {
  const told = answer.body.replaceAll(JSON.stringify(echoed).slice(1, -1), '')
  return LEAKS.filter(leak => told.includes(leak) && !echoed.includes(leak)).map(
    leak => `tells "${leak}"`,
  )
}

function jsonOf({ headers, body }: Answer): unknown {
  if (!/^application\/json/.test(headers['content-type'] ?? '') || body === '') return undefined
  try {
    return JSON.parse(body)
  } catch {
    return undefined
  }
}
