import { describe, expect, it } from 'vitest'
import {
  derivedKey,
  hashKey,
  keyFromSecret,
  looksLikeKey,
  newKey,
} from '../../../src/domain/apiKey.ts'

const ZEROS = 'bp_live_0000000000000000000000000000003LnhXv'
const LETTERS = 'bp_live_abcdefghijklmnopqrstuvwxyzABCD18NjnB'

describe('an API key', () => {
  it('is bp_live_, 30 characters and their base62 CRC-32 (vectors of another implementation)', () => {
    expect(keyFromSecret('0'.repeat(30))).toBe(ZEROS)
    expect(keyFromSecret('abcdefghijklmnopqrstuvwxyzABCD')).toBe(LETTERS)
  })

  it('has 44 characters, all base62 after the prefix, and is never the same twice', () => {
    const keys = Array.from({ length: 500 }, newKey)
    expect(new Set(keys).size).toBe(500)
    for (const key of keys) {
      expect(key).toMatch(/^bp_live_[0-9A-Za-z]{36}$/)
      expect(looksLikeKey(key)).toBe(true)
    }
    const used = new Set(keys.join('').replaceAll('bp_live_', ''))
    expect(used.size, 'every character of the alphabet comes up').toBe(62)
  })

  it('is told from a mistyped one: any other character anywhere, any two swapped', () => {
    for (let at = 0; at < LETTERS.length; at++) {
      const other = LETTERS[at] === 'x' ? 'y' : 'x'
      expect(looksLikeKey(LETTERS.slice(0, at) + other + LETTERS.slice(at + 1))).toBe(false)
    }
    for (let at = 8; at < LETTERS.length - 1; at++) {
      const swapped = LETTERS.slice(0, at) + LETTERS[at + 1] + LETTERS[at] + LETTERS.slice(at + 2)
      if (swapped !== LETTERS) expect(looksLikeKey(swapped)).toBe(false)
    }
  })

  it.each([
    ['nothing', ''],
    ['a prefix', 'bp_live_'],
    ['a key that is cut short', LETTERS.slice(0, -1)],
    ['a key with more behind it', `${LETTERS}0`],
    ['a key and a line break', `${LETTERS}\n`],
    ['a space before a key', ` ${LETTERS}`],
    ['a key in upper case', LETTERS.toUpperCase()],
    ['the prefix of test keys', LETTERS.replace('live', 'test')],
    ['digits of another alphabet', LETTERS.replace('1', '١')],
    ['a megabyte', 'x'.repeat(1_000_000)],
  ])('is not %s', (_what, text) => {
    expect(looksLikeKey(text)).toBe(false)
  })

  it('is derived the same from the same pepper and name, and differs with either', () => {
    const key = derivedKey('pepper', 'demo free')
    expect(looksLikeKey(key)).toBe(true)
    expect(derivedKey('pepper', 'demo free')).toBe(key)
    expect(
      new Set([key, derivedKey('pepper', 'demo pro'), derivedKey('salt', 'demo free')]).size,
    ).toBe(3)
  })

  it('is stored as its HMAC-SHA-256 under the pepper (vector of another implementation)', () => {
    expect(hashKey('pepper', 'bp_live_x').toString('hex')).toBe(
      '670eee30d7dd4ec969d936752b7b986a54158bfd8f6448cda2248f499a5e873f',
    )
    expect(hashKey('salt', 'bp_live_x')).not.toEqual(hashKey('pepper', 'bp_live_x'))
  })
})
