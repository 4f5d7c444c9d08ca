import { searchListingsText } from '../usecases/searchListings.ts'
import type { Handler } from './handler.ts'

export const searchListings: Handler<'searchListings'> = (deps, input, caller) =>
  searchListingsText(deps, input, caller)
