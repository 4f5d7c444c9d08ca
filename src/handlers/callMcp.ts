import { unavailable } from '../domain/errors.ts'
import type { Handler } from './handler.ts'

/** The agent endpoint is in the contract and not yet in service: 503 until it is. */
export const callMcp: Handler<'callMcp'> = async () => {
  throw unavailable('The agent endpoint is not in service yet. The REST endpoints serve the same data.')
}
