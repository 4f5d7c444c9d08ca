import { listSources as list } from '../usecases/listSources.ts'
import type { Handler } from './index.ts'

export const listSources: Handler<'listSources'> = async deps => ({ data: await list(deps) })
