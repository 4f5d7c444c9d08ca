import labels from '../../data/labels.json' with { type: 'json' }
import { createArgumentCheck } from '../contract/argumentCheck.ts'
import { type Contract, operationOf, planNeeded } from '../contract/document.ts'
import { ApiError, invalidRequest } from '../contract/errors.ts'
import { notAlone } from '../contract/parameterFaults.ts'
import { rewriteSpellings } from '../contract/spellings.ts'
import { compactAnswer, toolSchemas } from '../contract/toolSchemas.ts'
import type { Caller } from '../domain/caller.ts'
import { count } from '../domain/format.ts'
import { assertPlan } from '../usecases/admit.ts'
import type { Deps } from '../usecases/deps.ts'
import { CARD_META } from './card.ts'
import { fieldsText } from './texts.ts'
import { TOOLS, type Tool } from './tools.ts'

/**
 * One message and what becomes of it. Made for each request, so that nothing of
 * one request reaches another.
 */
export interface Exchange {
  deps: Deps
  /**
   * The arguments of the call as they were sent; the library drops `__proto__`
   * without an error.
   */
  sent: Record<string, unknown>
  caller: Caller
  /**
   * What the service failed with. The HTTP response is then that failure,
   * whatever the protocol library made of it.
   */
  failure?: unknown
  /** Why a tool could not answer for a moment; absent where it could. */
  unavailable?: ApiError
}

export interface ToolRegistry {
  /** As `tools/list` shows them. */
  listed: ReturnType<typeof prepare>['listed'][]
  has(name: string): boolean
  call: (name: string, exchange: Exchange) => Promise<ToolResult>
}

/**
 * A result as the protocol defines it. What the model can fix, or ask again, is
 * a result with `isError`.
 */
interface ToolResult {
  content: { type: string; text: string }[]
  structuredContent?: Record<string, unknown>
  isError?: boolean
}

const ARRANGES = /^(sort|per_page)$/

const READ_ONLY = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
}

/** The tools, with schemas and checks compiled once. */
export function createToolRegistry(contract: Contract): ToolRegistry {
  const prepared = new Map(
    TOOLS.map(tool => [tool.name, prepare(contract, tool)]),
  )

  /**
   * Calls a tool that exists, for a result as the protocol defines it. What the
   * model can fix, or ask again, is a result with `isError`.
   * @throws what the service failed with, kept in the exchange: an ApiError of
   * 500, or any other error.
   */
  async function call(name: string, exchange: Exchange): Promise<ToolResult> {
    const { tool, input, gate, check } = prepared.get(name)!
    const { deps, caller } = exchange
    const { buyer, ...others } = exchange.sent
    const sent =
      typeof buyer === 'object' ? { ...others, ...buyer } : exchange.sent
    try {
      rewriteSpellings(sent, input)
      assertPlan(caller.key?.plan ?? null, gate(sent))
      check(sent)
      const called = await tool.call(deps, sent as never, caller)
      const structuredContent = compactAnswer(
        called.answer,
        called.omitted ?? tool.omitted,
      ) as Record<string, unknown>
      const text = called.text ?? fieldsText(structuredContent.data as object)
      return { content: [{ type: 'text', text }], structuredContent }
    } catch (error) {
      if (
        !(error instanceof ApiError) ||
        (error.status >= 500 && error.status !== 503)
      ) {
        exchange.failure ??= error
        throw error
      }
      if (error.status === 503) exchange.unavailable = error
      const text =
        error.status === 503
          ? askAgain(error)
          : advice(error, tool, deps.publicUrl)
      return { content: [{ type: 'text', text }], isError: true }
    }
  }

  const listed = [...prepared.values()].map(each => each.listed)
  return { listed, has: (name: string) => prepared.has(name), call }
}

function prepare(contract: Contract, tool: Tool) {
  const known = operationOf(contract, tool.operationId)
  const { input, output } = toolSchemas(contract, known, tool)
  const { name, title, description, more = [], ofBuyer = [] } = tool
  const properties = Object.entries(input.properties).filter(
    ([one]) => !ofBuyer.includes(one),
  )
  const operation = { ...known, parameters: [...known.parameters, ...more] }
  const checkValues = createArgumentCheck(operation, input)
  const names = known.parameters
    .map(({ name }) => name)
    .filter(one => !ARRANGES.test(one))
  return {
    tool,
    input,
    check: (sent: Record<string, unknown>) => {
      // Models write defaults out; what only the tool has, or what only
      // arranges a page, goes with everything.
      const said = names.filter(
        one =>
          (sent[one] ?? input.properties[one]!.default) !==
          input.properties[one]!.default,
      )
      const fault = notAlone(known, said)
      if (fault) throw invalidRequest(fault)
      checkValues(sent)
    },
    // The specification lists every tool for the Free plan; only an argument
    // that the contract marks needs more.
    gate: (sent: object) =>
      planNeeded({ ...operation, plan: null }, Object.keys(sent)),
    /** As `tools/list` shows it. */
    listed: {
      name,
      title,
      description,
      inputSchema: { ...input, properties: Object.fromEntries(properties) },
      outputSchema: output,
      annotations: READ_ONLY,
      _meta: tool.hasCard && CARD_META,
    },
  }
}

function askAgain({ message, retryAfterSeconds }: ApiError) {
  return `unavailable, ask again in ${count(retryAfterSeconds ?? 1, 'second')}. ${message}`
}

/** For the model: the code, the fault, and what to do next. */
function advice(error: ApiError, tool: Tool, publicUrl: string) {
  const next = {
    invalid_request: 'Fix the arguments and call again.',
    not_found: error.isUnknownLot
      ? labels.agents.if_unknown_lot
      : tool.ifNotFound,
    forbidden: `A larger plan: ${publicUrl}/pricing`,
    missing_api_key: `Plans: ${publicUrl}/pricing`,
  }[error.code as string]
  return [`${error.code}: ${error.message}`, next].filter(Boolean).join(' ')
}
