import { listSources as list } from '../usecases/listSources.ts'
import type { Handler } from './handler.ts'

export const listSources: Handler<'listSources'> = async (deps, _input, caller) => ({
  data: await list(deps, caller),
})
