import { readComps } from '../usecases/readComps.ts'
import type { Handler } from './handler.ts'

export const getComps: Handler<'getComps'> = async (deps, input, caller) => ({
  data: await readComps(deps, input, caller),
})
