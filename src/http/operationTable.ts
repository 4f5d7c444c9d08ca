import { OpenAPIBackend } from 'openapi-backend'
import type { Contract } from '../contract/document.ts'

/**
 * Holds the handlers against the operations of the contract.
 * @throws Error when an operation has no handler, or a handler no operation: the service then refuses to start.
 */
export async function assertHandlersMatch(
  contract: Contract,
  handlers: Record<string, unknown>,
): Promise<void> {
  const api = new OpenAPIBackend({
    definition: structuredClone(contract.document),
    quick: true,
    validate: false,
  })
  await api.init()
  const named = new Set(api.router.getOperations().map(operation => String(operation.operationId)))
  const missing = [...named].filter(name => !Object.hasOwn(handlers, name))
  const unknown = Object.keys(handlers).filter(name => !named.has(name))
  if (missing.length > 0)
    throw new Error(`The contract has operations without a handler: ${missing.join(', ')}.`)
  if (unknown.length > 0)
    throw new Error(`There are handlers that the contract does not know: ${unknown.join(', ')}.`)
}
