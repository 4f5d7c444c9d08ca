import { readFlipScore } from '../usecases/readFlipScore.ts'
import type { Handler } from './handler.ts'

export const getFlipScore: Handler<'getFlipScore'> = async (deps, { id }, caller) => ({
  data: (await readFlipScore(deps, id, caller)).score,
})
