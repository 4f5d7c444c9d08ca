import { Counter, Gauge, type Registry } from 'prom-client'
import type { Deps } from '../usecases/deps.ts'

/** The index of the open lots in this process. */
export function openLotsMetrics(registry: Registry): (deps: Deps) => void {
  const registers = [registry]
  const lots = new Gauge({
    name: 'surplus_open_lots_indexed',
    help: 'Open lots in the index of this process; 0 while there is none, which is as it should be when there are few.',
    registers,
  })
  const searches = new Counter({
    name: 'surplus_searches_total',
    help: 'Searches that were not remembered, by what they were answered with: the index, or the database alone.',
    labelNames: ['by'],
    registers,
  })
  return ({ searchIndex }) => {
    const status = searchIndex.status()
    lots.set(status.lots)
    searches.reset()
    searches.inc({ by: 'index' }, status.answered)
    searches.inc({ by: 'database' }, status.passedOn)
  }
}
