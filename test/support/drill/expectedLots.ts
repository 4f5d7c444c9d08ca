import { isDeepStrictEqual } from 'node:util'
import type { Schemas } from '../../../src/contract/types.ts'
import type { Standing } from './auctionWeek.ts'
import { mayHaveClosed } from './centralDays.ts'

type Kind = Schemas['ChangeKind']

/** A change as the log must hold it. Times are in ms since 1970. */
export interface ExpectedChange {
  n: number
  kind: Kind
  observedAt: number
  bidCents: number | null
  bidders: number
  endsAt: number
  fell: boolean
}

/** A lot as it must be stored. */
export interface ExpectedLot extends Standing {
  isOpen: boolean
  outcome: 'withdrawn' | null
}

/** What one statement must do. */
export type Step = (lots: ExpectedLots) => ExpectedChange[]

/** The statements of a load of a whole offer, in their order. A load that is killed has done the first of them, or none. */
export function stepsOfSweep(listed: Standing[], at: number): Step[] {
  return [lots => lots.merge(listed, at), lots => lots.closeMissing(listed, at), lots => lots.closeEnded(at)]
}

/** What must become of the lots that sweeps see: the rules of ingestion once more, without a database. */
export class ExpectedLots {
  readonly lots: Map<number, ExpectedLot>
  /** Those of which there is a change. */
  private readonly logged: Set<number>

  constructor(lots: Iterable<[number, ExpectedLot]> = [], logged: Iterable<number> = []) {
    this.lots = new Map(lots)
    this.logged = new Set(logged)
  }

  copy(): ExpectedLots {
    return new ExpectedLots(this.lots, this.logged)
  }

  merge(listed: Standing[], at: number): ExpectedChange[] {
    return listed.flatMap(standing => {
      const before = this.lots.get(standing.n)
      const after: ExpectedLot = { ...standing, isOpen: standing.endsAt > at, outcome: null }
      this.lots.set(standing.n, after)
      const kinds = kindsOf(before, after).filter(kind => kind !== 'ended' || this.logged.has(standing.n))
      if (kinds.length > 0) this.logged.add(standing.n)
      return kinds.map(kind => change(kind, before, after, at))
    })
  }

  closeMissing(listed: Standing[], at: number): ExpectedChange[] {
    const named = new Set(listed.map(({ n }) => n))
    const isMissing = ({ n, endsAt }: Standing) => endsAt > at && !named.has(n)
    const hasClosed = ({ endsAt }: Standing) => mayHaveClosed(endsAt, at)
    return [
      ...this.close(lot => isMissing(lot) && !hasClosed(lot), { outcome: 'withdrawn' }, at),
      ...this.close(lot => isMissing(lot) && hasClosed(lot), { endsAt: at }, at),
    ]
  }

  closeEnded(at: number): ExpectedChange[] {
    return this.close(({ endsAt }) => endsAt <= at, {}, at)
  }

  private close(
    isMeant: (lot: ExpectedLot) => boolean,
    changes: Partial<ExpectedLot>,
    at: number,
  ): ExpectedChange[] {
    return [...this.lots.values()]
      .filter(lot => lot.isOpen && isMeant(lot))
      .map(before => {
        const after: ExpectedLot = { ...before, isOpen: false, ...changes }
        this.lots.set(before.n, after)
        return change(after.outcome ?? 'ended', before, after, at)
      })
  }
}

function kindsOf(before: ExpectedLot | undefined, after: ExpectedLot): Kind[] {
  if (!before) return after.isOpen ? ['listed'] : []
  if (!after.isOpen) return before.isOpen || finalOf(before) !== finalOf(after) ? ['ended'] : []
  if (!before.isOpen) return ['reopened']
  const isOther = (...names: (keyof Standing)[]) =>
    names.some(name => !isDeepStrictEqual(before[name], after[name]))
  const kinds: [Kind, boolean][] = [
    ['bid', isOther('bidCents', 'bidders')],
    ['end_moved', isOther('endsAt')],
    ['details', isOther('title', 'isPreview')],
  ]
  return kinds.filter(([, isOne]) => isOne).map(([kind]) => kind)
}

/** What is said of a lot that is not on offer: its outcome or its price. */
function finalOf({ outcome, bidCents }: ExpectedLot): string {
  return outcome ?? `${bidCents || null}`
}

function change(
  kind: Kind,
  before: ExpectedLot | undefined,
  { n, bidCents, bidders, endsAt }: ExpectedLot,
  observedAt: number,
): ExpectedChange {
  const fell = kind === 'bid' && before?.bidCents != null && (bidCents ?? 0) < before.bidCents
  return { n, kind, observedAt, bidCents, bidders, endsAt, fell }
}
