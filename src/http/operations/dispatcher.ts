import {
  OpenAPIBackend,
  type Context as OperationContext,
} from 'openapi-backend'
import type { Contract, Operation } from '../../contract/document.ts'
import type { Caller } from '../../domain/caller.ts'
import { handlers } from '../../handlers/index.ts'
import type { Deps } from '../../usecases/deps.ts'

/** Finds the operation of a request in the contract, and calls its handler. */
export interface Dispatcher {
  /**
   * The operation that a request is for; null where the contract has none.
   * @param path as it was sent, without the query.
   */
  match(method: string, path: string): Operation | null
  /** The operations of a path with any method. */
  operationsAt(path: string): Operation[]
  /**
   * Calls the handler of the operation of a request.
   * @param input what the handler takes besides the parameters in the path.
   * @returns what the handler answers. @throws ApiError as the handler does.
   */
  dispatch(
    request: { method: string; path: string },
    input: object,
    deps: Deps,
    caller: Caller,
  ): Promise<unknown>
}

type Handler = (deps: Deps, input: object, caller: Caller) => Promise<unknown>

/**
 * @throws Error when an operation has no handler, or a handler no operation:
 * the service then refuses to start.
 */
export async function createDispatcher({
  document,
  operations,
}: Contract): Promise<Dispatcher> {
  const api = new OpenAPIBackend({
    // It follows the references in the document that it is given.
    definition: structuredClone(document),
    // Its schema of the document knows only OpenAPI 3.0.
    quick: true,
    // A handler without an operation is an error.
    strict: true,
    validate: false,
    ignoreTrailingSlashes: false,
  })
  await api.init()
  // Why: callers of single lots, a quarter of whose processor time it was: the library makes its list of operations anew four times a call;
  // node --import tsx bench/bench.ts --beside <a build without this line>
  const known = api.router.getOperations()
  api.router.getOperations = () => known
  for (const [operationId, handler] of Object.entries(
    handlers as unknown as Record<string, Handler>,
  )) {
    api.register(
      operationId,
      (
        { request }: OperationContext,
        input: object,
        deps: Deps,
        caller: Caller,
      ) => handler(deps, { ...input, ...request.params }, caller),
    )
  }
  const byId = new Map<string | undefined, Operation>(
    operations.map(each => [each.operationId, each]),
  )
  const missing = operations.filter(
    ({ operationId }) => !Object.hasOwn(handlers, operationId),
  )
  if (missing.length > 0) {
    const names = missing.map(({ operationId }) => operationId).join(', ')
    throw new Error(`The contract has operations without a handler: ${names}.`)
  }

  function match(method: string, path: string) {
    return (
      byId.get(api.matchOperation(requestOf(method, path))?.operationId) ?? null
    )
  }
  return {
    match,
    operationsAt: path =>
      ['get', 'post'].flatMap(method => match(method, path) ?? []),
    dispatch: ({ method, path }, input, deps, caller) =>
      api.handleRequest(requestOf(method, path), input, deps, caller),
  }
}

/**
 * The library gets a request of its own: it copies and parses all that it finds
 * in one. A HEAD asks for what a GET does.
 */
function requestOf(method: string, path: string) {
  return { method: method === 'HEAD' ? 'GET' : method, path, headers: {} }
}
