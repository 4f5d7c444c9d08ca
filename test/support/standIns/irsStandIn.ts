import { json, type StandIn, startStandIn } from './standIn.ts'

export interface IrsStandIn {
  server: StandIn
  records: Record<string, unknown>[]
  /** Answers an object without a list. */
  hasNoList: boolean
}

/** One file with all cards of the site. */
export async function startIrsStandIn(): Promise<IrsStandIn> {
  const world = { records: [], hasNoList: false } as unknown as IrsStandIn
  world.server = await startStandIn(() => json(world.hasNoList ? { ok: true } : world.records))
  return world
}
