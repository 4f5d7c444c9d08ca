import { exportListings as exportRows } from '../usecases/exportListings.ts'
import type { Handler } from './index.ts'

export const exportListings: Handler<'exportListings'> = (deps, input) => exportRows(deps, input)
