import { ID_BYTES, type LotIndex } from '../../domain/search/lotIndex.ts'

/** As hexadecimal digits, which PostgreSQL takes for a uuid. */
export function idsOf({ ids }: LotIndex, ordinals: Uint32Array): string[] {
  const bytes = Buffer.from(ids.buffer, ids.byteOffset, ids.byteLength)
  return Array.from(ordinals, ordinal => bytes.toString('hex', ordinal * ID_BYTES, (ordinal + 1) * ID_BYTES))
}
