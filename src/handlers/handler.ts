import type { RawJson } from '../contract/rawJson.ts'
import type { Input, Ok, OperationId } from '../contract/types.ts'
import type { Caller } from '../domain/caller.ts'
import type { Deps } from '../usecases/deps.ts'

/** What answers an operation; a throw of ApiError refuses. */
export type Handler<Op extends OperationId> = (
  deps: Deps,
  input: Input<Op>,
  caller: Caller,
) => Promise<Ok<Op> | RawJson<Ok<Op>>>
