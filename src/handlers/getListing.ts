import { readListing } from '../usecases/readListing.ts'
import type { Handler } from './handler.ts'

export const getListing: Handler<'getListing'> = async (deps, { id }) => ({
  data: await readListing(deps, id),
})
