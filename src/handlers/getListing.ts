import { JsonText } from '../contract/jsonText.ts'
import { readListingText } from '../usecases/readListing.ts'
import type { Handler } from './handler.ts'

export const getListing: Handler<'getListing'> = async (deps, { id }) => {
  const { value, ...holding } = await readListingText(deps, id)
  return new JsonText(`{"data":${value}}`, { holding })
}
