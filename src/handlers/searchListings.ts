import { searchOrSuggest } from '../usecases/suggestions.ts'
import type { Handler } from './handler.ts'

export const searchListings: Handler<'searchListings'> = (deps, input, caller) =>
  searchOrSuggest(deps, input, caller)
