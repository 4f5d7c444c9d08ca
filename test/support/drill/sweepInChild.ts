// Sweeps GSA when its parent says so, in a process that can be killed: arguments are the database, the address and the host to be
// redirected to, and the key.
import { closeEndedLots } from '../../../src/infra/ingestion/closings.ts'
import { openAdminConnection } from '../../../src/infra/postgres/database.ts'
import { ingestSource } from '../../../src/usecases/ingestion/sweepSource.ts'
import { MANNERS } from '../standIns/sweeping.ts'

/** What to do at a moment of the clock of the drill. */
export interface SweepOrder {
  what: 'sweep' | 'closeEnded'
  /** ms since 1970 */
  at: number
}

export interface SweepReport {
  state: string
  reason: string | null
}

const [url = '', address = '', redirectHost = '', key = ''] = process.argv.slice(2)
const sql = openAdminConnection(url, { application_name: 'drill' })
process.on('message', (order: SweepOrder) => {
  void carryOut(order).then(
    report => process.send?.(report),
    (error: Error) => process.send?.({ state: 'failed', reason: error.stack ?? error.message }),
  )
})
process.once('disconnect', () => process.exit(1))

async function carryOut({ what, at }: SweepOrder): Promise<SweepReport> {
  const now = new Date(at)
  if (what === 'closeEnded') {
    await closeEndedLots(sql, now)
    return { state: 'done', reason: null }
  }
  const from = { address, key, redirectHosts: [redirectHost] }
  // Scores are no changes; scoring every few sweeps shows that, and leaves the time for sweeps.
  const scoreLater = at % 86_400_000 !== 0
  const { state, reason } = await ingestSource(sql, {
    source: 'gsa',
    from,
    manners: MANNERS,
    now,
    scoreLater,
  })
  return { state, reason }
}
