import { type Caller, callerFor } from '../../domain/caller.ts'
import { ApiError, ClientLeft } from '../../domain/errors.ts'
import { tookTooLong } from '../overload/circuitBreaker.ts'
import type { ReadRouter } from '../replicas/readRouter.ts'
import { findNamedListings } from './byId.ts'
import type { LotKey } from './columns.ts'
import type { Read } from './versionedCache.ts'

type Found = Read<string> | null

/** A call that waits for its lot. */
interface Waiting {
  by: LotKey
  caller: Caller
  /** Whether it was answered, or refused at its deadline. */
  isOver: boolean
  settle(result: Found | Error): void
}

export type ListingReader = ReturnType<typeof createListingReader>

const LARGEST_BATCH = 32

// Why: callers of single lots, for which driver, queue and circuit breaker are paid once a batch; make bench, "one listing, every id different"
/**
 * Reads a ListingDetail as JSON, null where there is no such lot, in batches: while one statement reads, the ids that arrive wait for the next.
 * @param deadlineMs how long after its start a call is refused.
 */
export function createListingReader(reads: ReadRouter, deadlineMs: number) {
  const next: Waiting[] = []
  let isReading = false

  async function readAll() {
    isReading = true
    while (next.length > 0) {
      const batch = next.splice(0, LARGEST_BATCH).filter(({ isOver }) => !isOver)
      const left = batch.filter(({ caller }) => caller.hasLeft())
      for (const call of left) call.settle(new ClientLeft())
      await readBatch(batch.filter(({ isOver }) => !isOver))
    }
    isReading = false
  }

  /** Never throws: the calls get the error. What one lot fails with is no error of the others. */
  async function readBatch(batch: Waiting[]) {
    if (batch.length === 0) return
    try {
      const rows = await reads.read(callerFor('lots by id'), context =>
        findNamedListings(
          context,
          batch.map(({ by }) => by),
          { inDetail: true },
        ),
      )
      for (const [index, { value, until_ms, ...state }] of rows.entries())
        batch[index]!.settle(value === null ? null : { ...state, value, until_ms: until_ms! })
    } catch (error) {
      if (batch.length > 1 && !(error instanceof ApiError)) for (const call of batch) await readBatch([call])
      else for (const call of batch) call.settle(error as Error)
    }
  }

  return (caller: Caller, by: LotKey) =>
    new Promise<Found>((resolve, reject) => {
      const call: Waiting = {
        by,
        caller,
        isOver: false,
        settle: result => {
          clearTimeout(timer)
          call.isOver = true
          if (result instanceof Error) reject(result)
          else resolve(result)
        },
      }
      const timer = setTimeout(
        () => call.settle(tookTooLong()),
        caller.startedAt + deadlineMs - performance.now(),
      )
      next.push(call)
      if (!isReading) void readAll()
    })
}
