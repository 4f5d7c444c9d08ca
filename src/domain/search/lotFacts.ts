/** What a lot is, in the 32 bits of one number, so that one look tells of all of it: shift and width of each field. */
const FIELDS = {
  hasBids: [0, 1],
  hasBuyNow: [1, 1],
  wasUpcoming: [2, 1],
  category: [3, 6],
  state: [9, 7],
  source: [16, 16],
} as const

export type FactName = keyof typeof FIELDS

/** The bits of a field with this value. @throws RangeError when there are more values than the field can tell apart. */
export function fact(name: FactName, value: number): number {
  const [shift, width] = FIELDS[name]
  if (value >= 2 ** width) throw new RangeError(`More than ${2 ** width} values of "${name}".`)
  return value << shift
}

/** All bits of a field. */
export function factMask(name: FactName): number {
  const [, width] = FIELDS[name]
  return fact(name, 2 ** width - 1)
}
