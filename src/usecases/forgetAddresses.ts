import { dropStaleAddresses } from '../infra/metering/counters.ts'
import type { Deps } from './deps.ts'

/** Forgets the addresses of agents without a key whose counters no longer limit them. Returns how many counters went. */
export async function forgetAddresses({ background, now }: Deps): Promise<number> {
  return background(sql => dropStaleAddresses(sql, now()))
}
