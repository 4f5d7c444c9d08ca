// Sweeps GSA when its parent says so, in a process that can be killed: arguments are the database,
// the address and the host to be redirected to, and the key.
import { openAdminConnection } from '../../../src/infra/postgres/database.ts'
import { ingestSource } from '../../../src/usecases/ingestion/sweepSource.ts'
import { MANNERS } from '../standIns/sweeping.ts'

export interface SweepReport {
  state: string
  reason: string | null
}

const [url = '', address = '', redirectHost = '', key = ''] = process.argv.slice(2)
const sql = openAdminConnection(url)
process.on('message', (at: number) => {
  void sweepAt(at).then(
    report => process.send?.(report),
    (error: Error) => process.send?.({ state: 'failed', reason: error.stack ?? error.message }),
  )
})
process.once('disconnect', () => process.exit(1))

/** @param at the moment of the drill, in ms since 1970. */
async function sweepAt(at: number): Promise<SweepReport> {
  const { state, reason } = await ingestSource(sql, {
    source: 'gsa',
    from: { address, key, redirectHosts: [redirectHost] },
    manners: MANNERS,
    now: new Date(at),
    // Scores are no changes; scoring every few sweeps shows that, and leaves the time for sweeps.
    scoreLater: at % 86_400_000 !== 0,
  })
  return { state, reason }
}
