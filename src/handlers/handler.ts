import type { RawJson } from '../contract/rawJson.ts'
import type { Caller, Input, Ok, OperationId } from '../contract/types.ts'
import type { Deps } from '../usecases/deps.ts'

/** What answers an operation; a throw of ApiError refuses. `caller` is null only where the contract lets keyless callers in. */
export type Handler<Op extends OperationId> = (
  deps: Deps,
  input: Input<Op>,
  caller: Caller | null,
) => Promise<Ok<Op> | RawJson<Ok<Op>>>
