/**
 * Reproducible random numbers: sfc32 of the PractRand suite (Chris
 * Doty-Humphrey, public domain), which passes its tests and costs a few
 * additions per draw. `restart` gives every row a stream of its own.
 */
export class Random {
  private a = 0
  private b = 0
  private c = 0
  private counter = 1

  /**
   * Starts the stream of one (seed, row) pair. The idle rounds mix the words,
   * so that the streams of neighboring rows do not resemble each other.
   */
  restart(seed: number, row: number) {
    this.a = seed | 0
    this.b = Math.floor(seed / 2 ** 32) ^ 0x9e3779b9
    this.c = row | 0
    this.counter = 1
    for (let round = 0; round < 15; round += 1) this.bits()
  }

  /** At least 0, less than 1. */
  next() {
    return this.bits() / 2 ** 32
  }

  chance(probability: number) {
    return this.next() < probability
  }

  between(low: number, high: number) {
    return low + (high - low) * this.next()
  }

  /** A whole number, both ends included. */
  whole(low: number, high: number) {
    return low + Math.floor(this.next() * (high - low + 1))
  }

  pick<T>(list: readonly T[]) {
    return list[Math.floor(this.next() * list.length)] as T
  }

  /** Standard normal (Box–Muller). */
  normal() {
    return (
      Math.sqrt(-2 * Math.log(1 - this.next())) *
      Math.cos(2 * Math.PI * this.next())
    )
  }

  /** Poisson (Knuth), for means under about 20. */
  poisson(mean: number) {
    const floor = Math.exp(-mean)
    let product = this.next()
    let events = 0
    while (product > floor) {
      product *= this.next()
      events += 1
    }
    return events
  }

  private bits() {
    const sum = (((this.a + this.b) | 0) + this.counter) | 0
    this.counter = (this.counter + 1) | 0
    this.a = this.b ^ (this.b >>> 9)
    this.b = (this.c + (this.c << 3)) | 0
    this.c = (((this.c << 21) | (this.c >>> 11)) + sum) | 0
    return sum >>> 0
  }
}

/** Draws from a list, which must not be empty, in proportion to the weights. */
export function weighted<T extends { weight: number }>(
  choices: readonly T[],
): (random: Random) => T {
  let total = 0
  const limits = choices.map(({ weight }) => {
    total += weight
    return total
  })
  return random => {
    const point = random.next() * total
    return choices[limits.findIndex(limit => limit > point)]!
  }
}
