import { searchListings as search } from '../usecases/searchListings.ts'
import type { Handler } from './handler.ts'

export const searchListings: Handler<'searchListings'> = (deps, input) => search(deps, input)
