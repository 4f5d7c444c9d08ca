import type { Logger } from '../log.ts'
import { createReadLots, type Primary, type ReadLots } from './readLots.ts'
import { openReplica, type ReplicaSettings } from './replica.ts'
import { createWrittenPositions } from './writtenPositions.ts'

interface OpenReadLotsSettings
  extends Primary,
    Pick<ReplicaSettings, 'mostLagMs' | 'readTimeoutMs' | 'readConnections' | 'exportConnections'> {
  /** None: every read goes to the primary. */
  replicaUrls: string[]
  log: Logger
}

/** Shorter than on the primary, so that an export that begins anew there still ends within its deadline. */
const EXPORT_TIMEOUT_MS = 5_000

/** Opens the replicas of a primary; the log tells when one is used or left out, and why. */
export function openReadLots({ replicaUrls, log, ...settings }: OpenReadLotsSettings): ReadLots {
  const positions = createWrittenPositions(settings.db.read)
  const onChange: ReplicaSettings['onChange'] = ({ isUsed, ...facts }) =>
    isUsed ? log.info(facts, 'a replica is used') : log.warn(facts, 'a replica is left out')
  const replicas = replicaUrls.map(url =>
    openReplica({ ...settings, url, exportTimeoutMs: EXPORT_TIMEOUT_MS, onChange }, positions),
  )
  return createReadLots(settings, replicas, positions)
}
