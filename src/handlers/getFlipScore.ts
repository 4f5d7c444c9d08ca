import { readFlipScore } from '../usecases/readFlipScore.ts'
import type { Handler } from './index.ts'

export const getFlipScore: Handler<'getFlipScore'> = async (deps, { id }) => ({
  data: await readFlipScore(deps, id),
})
