import { describe, expect, it } from 'vitest'
import { emailAddress, keyName, localPath } from '../../../src/domain/accounts/formFields.ts'
import {
  formToken,
  hashToken,
  isFormToken,
  newToken,
} from '../../../src/domain/accounts/secretToken.ts'
import { entitlementOf, type Subscription } from '../../../src/domain/accounts/subscription.ts'

describe('an e-mail address', () => {
  it.each([
    ['a@example.com', 'a@example.com'],
    [' First.Last+tag@Sub.Example.COM ', 'first.last+tag@sub.example.com'],
    ["o'brien@example.co.uk", "o'brien@example.co.uk"],
    ['x@xn--exmple-cua.com', 'x@xn--exmple-cua.com'],
    [`${'a'.repeat(64)}@example.com`, `${'a'.repeat(64)}@example.com`],
  ])('%s is written %s', (text, written) => expect(emailAddress(text)).toBe(written))

  it.each([
    ...['', '@', 'a@', '@example.com', 'a@b@example.com', '.a@example.com', 'a.@example.com'],
    ...[
      'a..b@example.com',
      'a b@example.com',
      'a@example',
      'a@.com',
      'a@example..com',
      'a@-example.com',
    ],
    ...['a@example-.com', 'a@example.c_m', 'a@1.2.3.4', 'a@example.com.', 'a@example.com\n'],
    ...['\na@example.com', 'a@example.com\r\n', 'a@example.com,b@example.com', 'A <a@example.com>'],
    ...['"a b"@example.com', '-oQ/x@example.com -bv', 'root@[127.0.0.1]', 'а@example.com'],
    ...['boo\u212a@example.com', 'a@exämple.com', 'a\u200b@example.com', 'a\u0000@example.com'],
    ...[
      'ａ@example.com',
      '\u0130@example.com',
      `${'a'.repeat(65)}@example.com`,
      `a@${'b'.repeat(64)}.com`,
    ],
  ])('is not %j', text => expect(emailAddress(text)).toBeNull())
})

describe('a path to go on to', () => {
  it.each(['/', '/account', '/listings/a?b=c&d=%20#e', '/a//b'])('is %s', path =>
    expect(localPath(path)).toBe(path),
  )
  it.each([
    ...[
      '',
      'account',
      '//a',
      '///a',
      '//home.invalid/a',
      '/\\a',
      '\\/a',
      '/a\\b',
      'http://a',
      '/ a',
    ],
    ...[
      '/\ta',
      '/\t/a',
      '/\n/a',
      'javascript:alert(1)',
      '/a\n',
      ' /a',
      '/é',
      `/${'a'.repeat(3_000)}`,
    ],
  ])('is not %j', path => expect(localPath(path)).toBeNull())
})

describe('the name of a key', () => {
  it('is trimmed, and é is one letter however it is typed', () => {
    expect(keyName('  laptop ')).toBe('laptop')
    expect(keyName('cafe\u0301')).toBe('caf\u00e9')
    expect(keyName('🚚'.repeat(60))).toBe('🚚'.repeat(60))
  })
  it.each([
    ...['', ' ', 'a\tb', 'a\u2028b', 'a\u202eb', 'a\nb', 'a\u001b[31m', 'a\u200bb', '\ud800'],
    ...['a'.repeat(61)],
  ])('is not %j', name => expect(keyName(name)).toBeNull())
})

describe('a token', () => {
  it('has 256 random bits in 43 letters', () => {
    const tokens = Array.from({ length: 1_000 }, newToken)
    expect(new Set(tokens).size).toBe(1_000)
    for (const token of tokens) expect(token).toMatch(/^[\w-]{43}$/)
    expect(Buffer.from(newToken(), 'base64url')).toHaveLength(32)
  })

  it('has a hash of its own for each purpose and each pepper', () => {
    const token = newToken()
    const hashes = [
      hashToken('a', 'session', token),
      hashToken('a', 'sign-in link', token),
      hashToken('b', 'session', token),
    ]
    expect(new Set(hashes.map(hash => hash.toString('hex'))).size).toBe(3)
  })

  it("has one form token, which is no other session's", () => {
    const token = newToken()
    expect(isFormToken(token, formToken(token))).toBe(true)
    expect(isFormToken(newToken(), formToken(token))).toBe(false)
    for (const wrong of ['', token, `${formToken(token)}=`, 'é'])
      expect(isFormToken(token, wrong)).toBe(false)
  })
})

describe('what subscriptions entitle to', () => {
  const prices = { pro: 'price_1', pro_plus: 'price_2' }
  const one = (status: string, priceId: string, endsAt: Date | null = null): Subscription => ({
    status,
    priceIds: [priceId],
    endsAt,
  })

  it('is the best of those that stand', () => {
    const all = [one('active', 'price_1'), one('unpaid', 'price_2'), one('canceled', 'price_2')]
    expect(entitlementOf(all, prices)).toMatchObject({ plan: 'pro', status: 'active' })
    expect(entitlementOf([...all, one('past_due', 'price_2')], prices)).toMatchObject({
      plan: 'pro_plus',
      status: 'past_due',
    })
  })

  it('is the best of the prices of one', () => {
    const both = { status: 'active', priceIds: ['price_2', 'price_1'], endsAt: null }
    expect(entitlementOf([both], prices).plan).toBe('pro_plus')
  })
})
