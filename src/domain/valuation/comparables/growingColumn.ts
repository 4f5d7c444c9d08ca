type Column = Float64Array | Int32Array | Int16Array | Uint8Array

/** A column of numbers whose length is not known before. */
export class GrowingColumn<Numbers extends Column> {
  readonly #make: (length: number) => Numbers
  #values: Numbers
  length = 0

  /** @param make for example `length => new Int32Array(length)`. */
  constructor(make: (length: number) => Numbers) {
    this.#make = make
    this.#values = make(1024)
  }

  /** One of those pushed so far. */
  at(position: number): number {
    return this.#values[position]!
  }

  push(value: number): void {
    if (this.length === this.#values.length) this.#grow(1)
    this.#values[this.length++] = value
  }

  /** Adds the low bytes of the characters of a text; for text in ASCII. */
  pushText(text: string): void {
    if (this.length + text.length > this.#values.length) this.#grow(text.length)
    for (let at = 0; at < text.length; at++) this.#values[this.length++] = text.charCodeAt(at)
  }

  /** What was pushed, in memory that threads can share. */
  toShared(): Numbers {
    const { BYTES_PER_ELEMENT } = this.#values
    const bytes = new SharedArrayBuffer(this.length * BYTES_PER_ELEMENT)
    const Kind = this.#values.constructor as new (bytes: SharedArrayBuffer) => Numbers
    const shared = new Kind(bytes)
    shared.set(this.#values.subarray(0, this.length))
    return shared
  }

  #grow(least: number): void {
    const larger = this.#make(this.#values.length * 2 + least)
    larger.set(this.#values.subarray(0, this.length))
    this.#values = larger
  }
}

/** Zeros in memory that threads can share. */
export function sharedFloats(length: number): Float64Array {
  return new Float64Array(new SharedArrayBuffer(length * 8))
}

/** Zeros in memory that threads can share. */
export function sharedInts(length: number): Int32Array {
  return new Int32Array(new SharedArrayBuffer(length * 4))
}
