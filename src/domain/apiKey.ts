import { createHmac, randomInt } from 'node:crypto'
import { crc32 } from 'node:zlib'
import { ipBlock } from './ipBlock.ts'

const PREFIX = 'bp_live_'
/**
 * Begins the token of an agent that signed in: a key for the address of agents
 * only.
 */
export const AGENT_PREFIX = 'bp_agent_'
const ALPHABET =
  '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const SECRET_LENGTH = 30
const CHECKSUM_LENGTH = 6
const SHAPE = new RegExp(
  `^(${PREFIX}|${AGENT_PREFIX})[0-9A-Za-z]{${SECRET_LENGTH + CHECKSUM_LENGTH}}$`,
)

/**
 * Completes 30 base62 characters (178 bits when random) to a key of 44: prefix,
 * secret, base62 CRC-32 of both.
 */
export function keyFromSecret(secret: string, prefix = PREFIX) {
  const body = prefix + secret
  return body + checksum(body)
}

/** A new random key. */
export function newKey(prefix = PREFIX): string {
  const letters = Array.from(
    { length: SECRET_LENGTH },
    () => ALPHABET[randomInt(ALPHABET.length)],
  )
  return keyFromSecret(letters.join(''), prefix)
}

/**
 * A key that is always the same for one pepper and name: it can be shown again
 * although it is never stored.
 */
export function derivedKey(pepper: string, name: string): string {
  const digest = createHmac('sha512', pepper)
    .update(`derived key ${name}`)
    .digest()
  return keyFromSecret(
    Array.from(
      digest.subarray(0, SECRET_LENGTH),
      byte => ALPHABET[byte % ALPHABET.length],
    ).join(''),
  )
}

/**
 * Whether a text can be a key at all: length, alphabet and checksum, checked
 * without a database.
 */
export function looksLikeKey(text: string): boolean {
  if (!SHAPE.test(text)) return false
  return (
    checksum(text.slice(0, -CHECKSUM_LENGTH)) === text.slice(-CHECKSUM_LENGTH)
  )
}

/**
 * What is stored of a key: its HMAC-SHA-256 under the pepper of the service.
 */
export function hashKey(pepper: string, key: string): Buffer {
  return createHmac('sha256', pepper).update(key).digest()
}

/**
 * What is stored and logged of an address without a key: the keyed hash of its
 * block.
 */
export function hashIpBlock(
  pepper: string,
  address: string,
  bits: 64 | 56 = 64,
): Buffer {
  return hashKey(pepper, `address ${ipBlock(address, bits)}`)
}

function checksum(body: string) {
  let rest = crc32(body)
  let text = ''
  for (let place = 0; place < CHECKSUM_LENGTH; place++) {
    text = ALPHABET[rest % ALPHABET.length] + text
    rest = Math.floor(rest / ALPHABET.length)
  }
  return text
}
