import { InvalidArgumentError } from 'commander'

/** Returns a commander parser for a whole number within bounds; it throws InvalidArgumentError. */
export function wholeNumber(option: string, least: number, most: number): (text: string) => number {
  return text => {
    const value = Number(text)
    if (!/^\d+$/.test(text) || value < least || value > most) {
      throw new InvalidArgumentError(`${option} must be a whole number from ${least} to ${most}.`)
    }
    return value
  }
}
