import type { Caller } from '../../domain/caller.ts'
import { STATE_NAMES } from '../../domain/feeds/states.ts'
import { readStates } from '../../infra/listings/states.ts'
import type { Deps } from '../deps.ts'
import { rounded } from '../showListing.ts'

/** A state or territory: its live lots, its sales of 365 days, and their median in US cents, rounded; null for fewer than five sales. */
export type StateShown = Awaited<ReturnType<typeof showStates>>[number]

/** Every state and territory. It reads all live lots and all sales of a year, so callers keep the result for a while. */
export async function showStates({ reads }: Deps, caller: Caller) {
  const states = await reads.read(caller, ({ sql, now }) => readStates(sql, now, [...STATE_NAMES.keys()]))
  return states.map(({ median_cents, ...state }) => ({
    ...state,
    median_cents: median_cents === null ? null : rounded(median_cents),
  }))
}
