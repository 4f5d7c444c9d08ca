import { RawJson } from '../contract/rawJson.ts'
import { readListingText } from '../usecases/readListing.ts'
import type { Handler } from './handler.ts'

export const getListing: Handler<'getListing'> = async (deps, { id }, caller) => {
  const { value, ...validity } = await readListingText(deps, id, caller)
  return new RawJson(`{"data":${value}}`, { validity })
}
