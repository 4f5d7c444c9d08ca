import { searchSalesText } from '../usecases/searchSales.ts'
import type { Handler } from './handler.ts'

export const searchSales: Handler<'searchSales'> = (deps, input, caller) =>
  searchSalesText(deps, input, caller)
