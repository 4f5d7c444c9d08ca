import type { RpcAnswer } from '../contract/rpcAnswer.ts'
import type { Input } from '../contract/types.ts'
import type { Caller } from '../domain/caller.ts'
import type { Deps } from '../usecases/deps.ts'

/**
 * Answers one JSON-RPC message of an agent. The protocol is transport
 * (src/mcp), which calls other operations, so it arrives in `deps`.
 * @throws ApiError for a message that the protocol libraries must not see, and
 * for what a tool failed with.
 */
export function callMcp(
  deps: Deps,
  call: Input<'callMcp'>,
  caller: Caller,
): Promise<RpcAnswer> {
  return deps.mcp.answer(deps, call, caller)
}
