import { type Asked, json, type Served, type StandIn, startStandIn } from './standIn.ts'

/**
 * Stand-ins for all official sources: a city whose sales change at will, and others that answer in
 * the shortest way.
 */
export interface SweptWorld {
  seattle: StandIn
  others: StandIn
  /** What Seattle answers next. */
  answer: Served
  /** The settings that lead there. */
  settings: Record<string, string>
  close(): Promise<void>
}

/** The same page whatever is requested: fewer rows than a page holds. */
export function seattleSales(count: number): Served {
  const rows = Array.from({ length: count }, (_, n) => ({
    equip_id: String(n + 1),
    year: '2019',
    make: 'FORD',
    model: 'F150',
    sale_price: '9000',
    sale_date: '2026-01-05T00:00:00.000',
  }))
  return json(rows)
}

/** The sources that are on without a trial or a key. */
export const ON = ['gsa', 'irs', 'seattle', 'norfolk', 'cincinnati', 'hud']

export async function startSweptWorld(): Promise<SweptWorld> {
  const world = { answer: seattleSales(3) } as SweptWorld
  world.seattle = await startStandIn(() => world.answer)
  world.others = await startStandIn(({ url }) =>
    json(url.pathname === '/gsa' ? { Results: [] } : []),
  )
  world.settings = {
    FEED_SEATTLE_URL: `${world.seattle.origin}/seattle`,
    GSA_API_URL: `${world.others.origin}/gsa`,
    GSA_API_KEY: 'test-key',
    IRS_INDEX_URL: `${world.others.origin}/irs`,
    FEED_HUD_URL: `${world.others.origin}/hud`,
    FEED_NORFOLK_URL: `${world.others.origin}/norfolk`,
    FEED_CINCINNATI_URL: `${world.others.origin}/cincinnati`,
    FETCH_PAUSE_MS: '0',
  }
  world.close = async () => void (await Promise.all([world.seattle.close(), world.others.close()]))
  return world
}

/** The requests of a portal for rows, without those for what it says of its table. */
export function rowsAskedOf({ asked }: StandIn): Asked[] {
  return asked.filter(({ url }) => url.searchParams.has('$select'))
}
