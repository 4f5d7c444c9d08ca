import { readListing } from '../usecases/readListing.ts'
import type { Handler } from './index.ts'

export const getListing: Handler<'getListing'> = async (deps, { id }) => ({
  data: await readListing(deps, id),
})
