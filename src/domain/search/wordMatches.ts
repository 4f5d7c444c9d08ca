import { firstAtLeast, type LotList } from './columns.ts'
import { factMask } from './lotFacts.ts'
import { ID_BYTES, type LotIndex } from './lotIndex.ts'

const WAS_UPCOMING = factMask('wasUpcoming')

/** The lots that have certain words. */
export interface WordMatches extends LotList {
  /** How many of them had begun when the index was made. */
  begun: number
  has(ordinal: number): boolean
  /** What it takes to remember, in bytes. */
  bytes: number
}

/** @param ids sixteen bytes each, in any order; those that are not in the index do not matter. */
export function wordMatches(index: LotIndex, ids: Uint8Array): WordMatches {
  const known = leading(index.ids)
  const asked = leading(ids)
  const found = new Uint32Array(ids.length / ID_BYTES)
  const bits = new Uint8Array(Math.ceil(index.lots / 8))
  let count = 0
  let begun = 0
  for (let at = 0; at < found.length; at++) {
    let ordinal = firstAtLeast(index.lots, known, asked(at))
    // The leading bits tell nearly all ids apart.
    while (ordinal < index.lots && known(ordinal) === asked(at) && !isSame(index.ids, ordinal, ids, at))
      ordinal += 1
    if (ordinal === index.lots || known(ordinal) !== asked(at)) continue
    found[count++] = ordinal
    if ((index.facts[ordinal]! & WAS_UPCOMING) === 0) begun += 1
    bits[ordinal >>> 3]! |= 1 << (ordinal & 7)
  }
  const ordinals = found.slice(0, count).sort()
  const facts = ordinals.map(ordinal => index.facts[ordinal]!)
  const price_cents = Float64Array.from(ordinals, ordinal => index.price_cents[ordinal]!)
  return {
    ordinals,
    begun,
    facts,
    price_cents,
    has: ordinal => (bits[ordinal >>> 3]! & (1 << (ordinal & 7))) !== 0,
    bytes: ordinals.byteLength + facts.byteLength + price_cents.byteLength + bits.byteLength,
  }
}

/** The first 53 bits of an id, as a number of the same order. */
function leading(ids: Uint8Array): (at: number) => number {
  const view = new DataView(ids.buffer, ids.byteOffset, ids.byteLength)
  return at => view.getUint32(at * ID_BYTES) * 2 ** 21 + (view.getUint32(at * ID_BYTES + 4) >>> 11)
}

function isSame(ids: Uint8Array, ordinal: number, others: Uint8Array, at: number): boolean {
  for (let byte = 0; byte < ID_BYTES; byte++)
    if (ids[ordinal * ID_BYTES + byte] !== others[at * ID_BYTES + byte]) return false
  return true
}
