import type { RequestHandler } from 'express'
import type { Contract } from './contract/document.ts'
import {
  createDispatcher,
  type Dispatcher,
} from './http/operations/dispatcher.ts'
import { validateRequest } from './http/operations/requestValidation.ts'
import { createSearchReader } from './http/operations/searchReader.ts'
import { createToolRegistry, type ToolRegistry } from './mcp/registry.ts'
import type { SearchReader } from './usecases/searchLots.ts'

/**
 * The contract with everything that is made of it alone. Services of one
 * process can share it.
 */
export interface CompiledContract {
  contract: Contract
  dispatcher: Dispatcher
  /** Checks the request of an operation. */
  requestValidation: RequestHandler
  /** Reads the query of a search page. */
  readSearch: SearchReader
  /** The tools of the agent endpoint. */
  tools: ToolRegistry
}

/**
 * @throws Error when an operation has no handler, or a handler no operation:
 * the service then refuses to start.
 */
export async function compileContract(
  contract: Contract,
): Promise<CompiledContract> {
  return {
    contract,
    dispatcher: await createDispatcher(contract),
    requestValidation: validateRequest(contract),
    readSearch: createSearchReader(contract),
    tools: createToolRegistry(contract),
  }
}
