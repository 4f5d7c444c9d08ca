import type { Random } from '../../demo/random.ts'

/** Draws from a list in proportion to the weights; throws a RangeError when the list is empty. */
export function weighted<T>(choices: readonly { weight: number; value: T }[]): (random: Random) => T {
  let total = 0
  const limits = choices.map(choice => {
    total += choice.weight
    return total
  })
  const last = choices.at(-1)
  if (last === undefined) throw new RangeError('There is nothing to choose from.')
  return random => {
    const point = random.next() * total
    let low = 0
    let high = limits.length - 1
    while (low < high) {
      const middle = (low + high) >> 1
      if ((limits[middle] as number) > point) high = middle
      else low = middle + 1
    }
    return (choices[low] ?? last).value
  }
}
