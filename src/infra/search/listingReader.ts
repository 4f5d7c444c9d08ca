import { ApiError, ClientLeft } from '../../contract/errors.ts'
import { type Caller, serviceCaller } from '../../domain/caller.ts'
import { createBatches, type Waiting } from '../overload/batches.ts'
import { tookTooLong } from '../overload/circuitBreaker.ts'
import { findNamedListings } from './byId.ts'
import type { LotKey } from './columns.ts'
import type { Reads } from './reads.ts'

/** A ListingDetail as JSON; null where there is no such lot. */
type Found = string | null

interface Call {
  by: LotKey
  caller: Caller
}

/** Reads one lot. @throws ApiError 503; ClientLeft. */
export type ListingReader = (caller: Caller, by: LotKey) => Promise<Found>

// Why: callers of single lots, for which driver, queue and circuit breaker are paid once a batch; make bench, "one lot, every id different"
/**
 * Reads a ListingDetail as JSON, null where there is no such lot, in batches:
 * while one statement reads, the ids that arrive wait for the next.
 * @param deadlineMs how long after its start a call is refused.
 */
export function createListingReader(
  reads: Reads,
  deadlineMs: number,
): ListingReader {
  const read = createBatches<Call, Found>(readThoseLeft)

  async function readThoseLeft(batch: Waiting<Call, Found>[]) {
    for (const { caller, settle } of batch)
      if (caller.hasLeft()) settle(new ClientLeft())
    await readBatch(batch.filter(({ isOver }) => !isOver))
  }

  /**
   * Never throws: the calls get the error. What one lot fails with is no error
   * of the others.
   */
  async function readBatch(batch: Waiting<Call, Found>[]) {
    if (batch.length === 0) return
    try {
      const rows = await reads.read(serviceCaller(), context =>
        findNamedListings(
          context,
          batch.map(({ by }) => by),
          { inDetail: true },
        ),
      )
      for (const [index, { value }] of rows.entries())
        batch[index]!.settle(value)
    } catch (error) {
      if (batch.length > 1 && !(error instanceof ApiError))
        for (const call of batch) await readBatch([call])
      else for (const call of batch) call.settle(error as Error)
    }
  }

  return (caller, by) =>
    read(
      { by, caller },
      caller.startedAt + deadlineMs - performance.now(),
      tookTooLong,
    )
}
