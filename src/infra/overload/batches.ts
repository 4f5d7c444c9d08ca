/** A call that waits for its batch. */
export type Waiting<Call, Result> = Call & {
  /** Whether it was answered, or refused at its deadline. */
  isOver: boolean
  /** Answers or refuses it; only the first time counts. */
  settle(result: Result | Error): void
}

/**
 * Calls in one statement. While PostgreSQL charges 32 of 64, the process
 * answers the others; with all 64 in one statement they took turns at waiting:
 * a thousand keys then got 0.6 of the calls of the same endpoint without a
 * meter, instead of 0.8.
 */
const LARGEST_BATCH = 32

/**
 * Returns a function that runs calls in batches: while one batch runs, the
 * calls that arrive wait for the next. A call is refused with what `late`
 * returns when it has waited so long.
 * @param work settles each call of a batch, and never throws.
 */
export function createBatches<Call extends object, Result>(
  work: (batch: Waiting<Call, Result>[]) => Promise<void>,
): (call: Call, waitMs: number, late: () => Error) => Promise<Result> {
  const next: Waiting<Call, Result>[] = []
  let isWorking = false

  async function workAll() {
    isWorking = true
    while (next.length > 0) {
      const batch = next
        .splice(0, LARGEST_BATCH)
        .filter(({ isOver }) => !isOver)
      if (batch.length > 0) await work(batch)
    }
    isWorking = false
  }

  return (call: Call, waitMs: number, late: () => Error) =>
    new Promise<Result>((resolve, reject) => {
      const timer = setTimeout(() => waiting.settle(late()), waitMs)
      const waiting: Waiting<Call, Result> = {
        ...call,
        isOver: false,
        settle: result => {
          clearTimeout(timer)
          waiting.isOver = true
          if (result instanceof Error) reject(result)
          else resolve(result)
        },
      }
      next.push(waiting)
      if (!isWorking) void workAll()
    })
}
