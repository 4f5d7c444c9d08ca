import { exportListings as exportRows } from '../usecases/exportListings.ts'
import type { Handler } from './handler.ts'

export const exportListings: Handler<'exportListings'> = (deps, input, caller) =>
  exportRows(deps, input, caller)
