/** Where a call is on its way through the process. */
export type CallState = 'queued' | 'at work' | 'answering' | 'gone'

interface StateRules {
  leadsTo: readonly CallState[]
  /** Whether it waits for its turn: 1 or 0. */
  waits: number
  /** How many of its caller's places it takes. */
  placesOfCaller: number
  /** How many of the places of all callers it takes. */
  placesOfAll: number
}

const STATES: Record<CallState, StateRules> = {
  // Waits in the queue of its caller. Nothing of it was read or counted, so it
  // may still be refused.
  queued: {
    leadsTo: ['at work', 'gone'],
    waits: 1,
    placesOfCaller: 0,
    placesOfAll: 0,
  },
  // The service works for it, also when its client has left.
  'at work': {
    leadsTo: ['answering', 'gone'],
    waits: 0,
    placesOfCaller: 1,
    placesOfAll: 1,
  },
  // The head of its answer is written, and its client reads. Clients that read
  // slowly take places of their own caller only.
  answering: { leadsTo: ['gone'], waits: 0, placesOfCaller: 1, placesOfAll: 0 },
  // Answered, refused, or left.
  gone: { leadsTo: [], waits: 0, placesOfCaller: 0, placesOfAll: 0 },
}

/** What a bound asks of a call, and what it tells it. */
export interface BoundedCall {
  /** It is its turn. */
  begin(): void
  /**
   * Its turn did not come in time. @param isOwnFault whether other calls of its
   * caller had all the places of that one.
   */
  refuse(isOwnFault: boolean): void
  /** Whether the head of its answer is written. */
  isAnswering(): boolean
  /**
   * Whether nothing more is done for it: its answer was sent, or would have
   * been if its client had not left.
   */
  isDone(): boolean
}

interface CallsOfCaller {
  name: string | number
  queue: Set<EnteredCall>
  places: number
}

/** A call that has come to the bound. */
export interface EnteredCall {
  state: CallState
  caller: CallsOfCaller
  call: BoundedCall
  /** When it stops waiting, or taking places, by `performance.now()`. */
  endsAt: number
}

// Why: callers with few calls beside many callers with more than can be answered:
// npx vitest run test/infra/callBound.test.ts
/** A process works for so many callers that use all of their places. */
const CALLERS_AT_ONCE = 4
// Why: callers of an overloaded process, who get 503 while a second of their time is left:
// npx vitest run test/faults/overload.test.ts
/**
 * How long a call waits for its turn: so long more or less by a quarter, so
 * that those that came together are not refused together.
 */
const PATIENCE_MS = 1_000
/**
 * A client that reads slowly, or has left while its work goes on, takes places
 * for so long at most.
 */
const AFTER_ANSWER_MS = 2_000
const LOOK_MS = 50

/**
 * How many calls are at work: a caller has a few places, its other calls wait
 * in its own queue, and the queues are served in turn. A call begins within a
 * second or is refused, so none is worked for that would end too late. While
 * nothing waits, calls are counted only.
 */
// Why: callers beside one that sends hundreds of calls at once; npx vitest run test/hostile/entrance.test.ts
export class CallBound {
  readonly #placesOfCaller: number
  /**
   * In the order of their turns: a caller that was served goes last. Callers
   * without calls are not in it.
   */
  readonly #callers = new Map<string | number, CallsOfCaller>()
  readonly #begun = new Set<EnteredCall>()
  #placesTaken = 0
  #waiting = 0
  #timer: NodeJS.Timeout | undefined

  /** @param placesOfCaller how many calls of one caller are at work at once. */
  constructor(placesOfCaller: number) {
    this.#placesOfCaller = placesOfCaller
  }

  /**
   * Begins the call, at once where there is a place for it.
   * @returns what `close` ends.
   */
  enter(name: string | number, call: BoundedCall): EnteredCall {
    const caller = this.#callers.get(name) ?? {
      name,
      queue: new Set(),
      places: 0,
    }
    this.#callers.set(name, caller)
    const entered: EnteredCall = {
      state: 'queued',
      caller,
      call,
      endsAt: Number.POSITIVE_INFINITY,
    }
    this.#waiting++
    if (caller.queue.size === 0 && this.#hasPlace(caller)) {
      this.#begin(entered)
    } else {
      caller.queue.add(entered)
      entered.endsAt =
        performance.now() + PATIENCE_MS * (0.75 + Math.random() / 2)
      this.#watch()
    }
    return entered
  }

  /** The answer was sent, or the client has left. */
  close(entered: EnteredCall): void {
    if (entered.state !== 'queued' && !entered.call.isDone()) {
      entered.endsAt = performance.now() + AFTER_ANSWER_MS
      this.#watch()
    } else if (this.#waiting > 0) {
      // In a later turn of the event loop, so that the calls of others are read
      // before: answers that wait for nothing would else come one after the
      // other.
      setImmediate(() => this.#end(entered))
    } else {
      this.#end(entered)
    }
  }

  #hasPlace({ places }: CallsOfCaller): boolean {
    return (
      places < this.#placesOfCaller &&
      this.#placesTaken < this.#placesOfCaller * CALLERS_AT_ONCE
    )
  }

  /**
   * Events of a connection come late or twice: a step that its state does not
   * lead to changes nothing.
   * @returns whether it did.
   */
  #move(entered: EnteredCall, to: CallState): boolean {
    const [before, after] = [STATES[entered.state], STATES[to]]
    if (!before.leadsTo.includes(to)) return false
    this.#waiting += after.waits - before.waits
    this.#placesTaken += after.placesOfAll - before.placesOfAll
    entered.caller.places += after.placesOfCaller - before.placesOfCaller
    entered.state = to
    return true
  }

  #begin(entered: EnteredCall): void {
    const { caller } = entered
    if (!this.#move(entered, 'at work')) return
    entered.endsAt = Number.POSITIVE_INFINITY
    this.#begun.add(entered)
    if (caller.queue.delete(entered)) {
      this.#callers.delete(caller.name)
      this.#callers.set(caller.name, caller)
    }
    entered.call.begin()
  }

  #end(entered: EnteredCall): void {
    const { caller } = entered
    if (!this.#move(entered, 'gone')) return
    this.#begun.delete(entered)
    caller.queue.delete(entered)
    // A caller that came back has other places.
    const isIdle = caller.places === 0 && caller.queue.size === 0
    if (isIdle && this.#callers.get(caller.name) === caller)
      this.#callers.delete(caller.name)
    this.#serve()
  }

  #serve(): void {
    while (this.#waiting > 0) {
      const next = this.#next()
      if (!next) return
      this.#begin(next)
    }
  }

  #next(): EnteredCall | undefined {
    for (const caller of this.#callers.values()) {
      const [first] = caller.queue
      if (first && this.#hasPlace(caller)) return first
    }
    return undefined
  }

  /**
   * Looks after the calls while one waits or ends late. Nothing is hung on the
   * responses of all others.
   */
  #watch(): void {
    this.#timer ??= setInterval(() => {
      const now = performance.now()
      const endLate = this.#lookAtBegun(now)
      this.#refuseLate(now)
      if (endLate || this.#waiting > 0) return
      clearInterval(this.#timer)
      this.#timer = undefined
    }, LOOK_MS).unref()
  }

  /** @returns whether a call is left that ends at a set time. */
  #lookAtBegun(now: number): boolean {
    let endLate = false
    for (const entered of this.#begun) {
      if (entered.call.isAnswering() && this.#move(entered, 'answering'))
        entered.endsAt = now + AFTER_ANSWER_MS
      if (now >= entered.endsAt || entered.call.isDone()) this.#end(entered)
      else endLate ||= entered.endsAt < Number.POSITIVE_INFINITY
    }
    this.#serve()
    return endLate
  }

  #refuseLate(now: number): void {
    for (const caller of this.#callers.values())
      for (const entered of caller.queue) {
        if (now < entered.endsAt) continue
        const isOwnFault = caller.places >= this.#placesOfCaller
        this.#end(entered)
        entered.call.refuse(isOwnFault)
      }
  }
}
