import { createHash } from 'node:crypto'

/**
 * The hash of a leaf of a Merkle tree (RFC 6962, section 2.1): SHA-256 of the
 * byte 0 and the text in UTF-8.
 */
export function leafHash(text: string): Buffer {
  return sha256(Uint8Array.of(0), Buffer.from(text))
}

/**
 * The root of the Merkle tree over the hashes of leaves (RFC 6962, section
 * 2.1); of none, the hash of nothing.
 */
export function merkleRoot(leaves: readonly Buffer[]): Buffer {
  if (leaves.length < 2) return leaves[0] ?? sha256()
  let left = 1
  while (left * 2 < leaves.length) left *= 2
  return sha256(
    Uint8Array.of(1),
    merkleRoot(leaves.slice(0, left)),
    merkleRoot(leaves.slice(left)),
  )
}

function sha256(...parts: Uint8Array[]) {
  return createHash('sha256').update(Buffer.concat(parts)).digest()
}
