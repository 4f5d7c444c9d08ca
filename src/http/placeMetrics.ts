import { Counter, Gauge, type Registry } from 'prom-client'
import type { Deps } from '../usecases/deps.ts'

/** The primary and its replicas, as this process knows them. */
export function placeMetrics(registry: Registry): (deps: Deps) => void {
  const shared = { labelNames: ['place'], registers: [registry] }
  const isUsed = new Gauge({
    name: 'surplus_replica_in_use',
    help: 'Whether reads go to this replica: 0 while it is away or too far behind.',
    ...shared,
  })
  const lag = new Gauge({
    name: 'surplus_replica_lag_seconds',
    help: 'Since when there is something that this replica has not replayed; missing while that is not known.',
    ...shared,
  })
  const reads = new Counter({
    name: 'surplus_lot_reads_total',
    help: 'Reads of lots, sources and sales, by who answered: the primary, or a replica.',
    ...shared,
  })
  return ({ reads: router }) => {
    for (const each of [isUsed, lag, reads]) each.reset()
    for (const { server: place, ...status } of router.servers()) {
      reads.inc({ place }, status.reads)
      if (place === 'primary') continue
      isUsed.set({ place }, status.isUsed ? 1 : 0)
      if (status.lagSeconds !== null) lag.set({ place }, status.lagSeconds)
    }
  }
}
