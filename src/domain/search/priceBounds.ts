import type { ListingFilter } from './listingFilter.ts'

export interface PriceBounds {
  least: number
  most: number
}

/** In cents; null when no price is asked for. A lot without a price is within no bounds. */
export function priceBounds({ price_min, price_max }: ListingFilter): PriceBounds | null {
  if (price_min === null && price_max === null) return null
  return {
    least: price_min === null ? Number.NEGATIVE_INFINITY : Math.ceil(hundredTimes(price_min)),
    most: price_max === null ? Number.MAX_VALUE : Math.floor(hundredTimes(price_max)),
  }
}

/** Whether a price is within them. */
export function isWithin({ least, most }: PriceBounds, cents: number): boolean {
  return cents >= least && cents <= most
}

/** By the decimal places that were written: 1.1 * 100 is 110.00000000000001. */
function hundredTimes(dollars: number): number {
  const [digits, exponent = '0'] = String(dollars).split('e')
  return Number(`${digits}e${Number(exponent) + 2}`)
}
