import type { Listing } from '../../contract/types.ts'
import type { Caller } from '../../domain/caller.ts'
import { readLots } from '../../infra/listings/byId.ts'
import { type Overview, readOverview } from '../../infra/listings/siteReads.ts'
import type { Deps } from '../deps.ts'
import { readLotValues } from './similarLots.ts'

/** More are chosen than shown: some end, or turn out to cost more than comparable ones, before the page is opened. */
const CHOSEN = 16

/** What the front page shows: the lots of the overview that are still live, and their values. */
export type FrontPage = Awaited<ReturnType<typeof showFrontPage>>

/** Counts the live lots and chooses those of the front page: it reads all of them, so callers keep the result for a while. */
export function chooseLots({ reads }: Deps, caller: Caller): Promise<Overview> {
  return reads.read(caller, ({ sql, now }) => readOverview(sql, now, CHOSEN))
}

/** The chosen lots as they are now, and what they are worth. */
export async function showFrontPage(deps: Deps, overview: Overview, caller: Caller) {
  const ids = [...new Set([...overview.deals, ...overview.ending])]
  const chosen = ids.map(id => ({ id }))
  const [{ text }, values] = await Promise.all([
    deps.reads.read(caller, context => readLots({ ...context, publicUrl: deps.publicUrl }, ids, null)),
    readLotValues(deps, chosen, caller),
  ])
  const lots = new Map((JSON.parse(text) as Listing[]).map(lot => [lot.id, lot]))
  const pick = (picked: string[]) => picked.flatMap(id => lots.get(id) ?? [])
  return { overview, deals: pick(overview.deals), ending: pick(overview.ending), values }
}
