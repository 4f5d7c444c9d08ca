import type { FetchManners } from '../../../src/infra/fetching/politeFetch.ts'
import type { SweepResult } from '../../../src/usecases/ingestion/sweepSource.ts'
import { ingestSource } from '../../../src/usecases/ingestion/sweepSource.ts'
import type { Ingestion } from '../ingestion/ingestion.ts'
import { NOW } from '../ingestion/ingestionClock.ts'

export const MANNERS: FetchManners = {
  userAgent: 'surplus-tests/1.0 (+mailto:tests@surplus.example)',
  // Only a source that hangs runs into it, however busy the machine is.
  timeoutMs: 30_000,
  mostBytes: 2_000_000,
  longestWaitSeconds: 2,
  pauseMs: 0,
}

/** Sweeps one source from where its stand-in is, and leaves scores for later. */
export function sweep(
  { sql }: Ingestion,
  source: string,
  address: string,
  more: {
    key?: string
    redirectHosts?: string[]
    manners?: Partial<FetchManners>
    now?: Date
  } = {},
): Promise<SweepResult> {
  const { key = null, redirectHosts = [], manners, now = NOW } = more
  return ingestSource(sql, {
    source,
    from: { address, key, redirectHosts },
    manners: { ...MANNERS, ...manners },
    now,
    scoreLater: true,
  })
}
