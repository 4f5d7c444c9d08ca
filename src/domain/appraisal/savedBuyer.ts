import { invalidRequest } from '../../contract/errors.ts'
import { BUYER_PARAMETERS, type Buyer, USUAL_BUYER } from './buyerCosts.ts'

/** The most of each number; the contract has the same. */
export const MOST_OF_BUYER: Record<
  Exclude<keyof Buyer, 'buyer_zip'>,
  number
> = {
  cost_per_mile: 100,
  tax_percent: 100,
  surcharge_percent: 100,
  resale_cost_percent: 100,
  margin_percent: 1_000,
  fixed_cost_cents: 1_000_000_000,
}

const ZIP = /^\d{5}(-\d{4})?$/
const SEPARATOR = '_'

/**
 * The buyer that a form describes, as usual where a field is empty.
 * @param sent by the names of `Buyer`.
 * @throws ApiError invalid_request that names the first field that cannot be
 * read.
 */
export function readBuyer(sent: Record<string, string | undefined>): Buyer {
  const zip = (sent.buyer_zip ?? '').trim()
  if (zip !== '' && !ZIP.test(zip))
    throw invalidRequest(
      'Write the ZIP code with five digits, or leave it out.',
    )
  const buyer: Buyer = { ...USUAL_BUYER, buyer_zip: zip || null }
  for (const [name, most] of Object.entries(MOST_OF_BUYER) as [
    keyof typeof MOST_OF_BUYER,
    number,
  ][]) {
    const text = (sent[name] ?? '').trim()
    const number = Number(text)
    if (!(number >= 0 && number <= most))
      throw invalidRequest(
        `"${name}": write a number from 0 to ${most}, or leave it out.`,
      )
    if (text !== '') buyer[name] = number
  }
  return buyer
}

/** The seven numbers of a buyer for a cookie: "60601_0.7_8.25_0_12_25_5000". */
export function writeBuyer(buyer: Buyer): string {
  return BUYER_PARAMETERS.map(name => buyer[name] ?? '').join(SEPARATOR)
}

/** The buyer of a cookie; null for anything that `writeBuyer` did not write. */
export function readWrittenBuyer(text: string): Buyer | null {
  const values = text.split(SEPARATOR)
  if (values.length !== BUYER_PARAMETERS.length) return null
  try {
    return readBuyer(
      Object.fromEntries(BUYER_PARAMETERS.map((name, n) => [name, values[n]])),
    )
  } catch {
    return null
  }
}
