import { describe, expect, it } from 'vitest'
import { readConfig } from '../../src/config.ts'

const STRIPE = {
  STRIPE_SECRET_KEY: 'sk_test_1',
  STRIPE_WEBHOOK_SECRET: 'whsec_1',
  STRIPE_PRICE_PRO: 'price_1',
  STRIPE_PRICE_PRO_PLUS: 'price_2',
}
const SMTP = { SMTP_URL: 'smtp://mail.example.com' }
const PARTS_NEEDED =
  'Stripe needs STRIPE_WEBHOOK_SECRET, STRIPE_PRICE_PRO, STRIPE_PRICE_PRO_PLUS too'

describe('the settings of the accounts', () => {
  it('are all optional: links go to the log, and plans are not sold', () => {
    expect(readConfig({})).toMatchObject({ mail: null, stripe: null, contactEmail: null })
  })

  it('are read', () => {
    const env = {
      ...STRIPE,
      STRIPE_API_URL: 'http://127.0.0.1:12111',
      SMTP_URL: 'smtps://user:secret@mail.example.com',
      MAIL_FROM: 'Surplus <no-reply@example.com>',
      CONTACT_EMAIL: 'Sales@Example.com',
    }
    expect(readConfig(env)).toMatchObject({
      mail: { smtpUrl: env.SMTP_URL, from: env.MAIL_FROM },
      stripe: {
        secretKey: 'sk_test_1',
        webhookSecret: 'whsec_1',
        prices: { pro: 'price_1', pro_plus: 'price_2' },
        apiUrl: 'http://127.0.0.1:12111',
      },
      contactEmail: 'sales@example.com',
    })
    expect(readConfig(STRIPE).stripe).toMatchObject({ apiUrl: null })
  })

  it.each([
    ['a part of Stripe', { STRIPE_SECRET_KEY: 'sk_test_1' }, PARTS_NEEDED],
    [
      'one price for two plans',
      { ...STRIPE, STRIPE_PRICE_PRO_PLUS: 'price_1' },
      'Each plan needs a price of its own',
    ],
    [
      'a key with a line end',
      { ...STRIPE, STRIPE_SECRET_KEY: 'sk\n' },
      'STRIPE_SECRET_KEY must be',
    ],
    [
      'an API that is no address',
      { ...STRIPE, STRIPE_API_URL: 'stripe' },
      'STRIPE_API_URL must be',
    ],
    ['a mail server that is none', { SMTP_URL: 'http://mail.example.com' }, 'SMTP_URL must be'],
    ['no sender', SMTP, 'SMTP_URL needs MAIL_FROM too'],
    ['two senders', { ...SMTP, MAIL_FROM: 'a@example.com, b@example.com' }, 'MAIL_FROM must be'],
    [
      'agents without TLS',
      { AGENTS_URL: 'http://agents.example.com' },
      'AGENTS_URL must begin with https://',
    ],
    [
      'agents with a path',
      { AGENTS_URL: 'https://agents.example.com/mcp' },
      'AGENTS_URL must be a host without a path',
    ],
    [
      'a service with a path',
      { PUBLIC_URL: 'https://example.com/auctions/' },
      'PUBLIC_URL must be a host without a path, such as https://example.com.',
    ],
    [
      'a service with a query',
      { PUBLIC_URL: 'https://example.com/?x' },
      'PUBLIC_URL must be a host without a path',
    ],
    ['a contact that is no address', { CONTACT_EMAIL: 'call us' }, 'CONTACT_EMAIL must be'],
  ])('are refused with the name of the variable: %s', (_what, env, message) => {
    expect(() => readConfig(env)).toThrow(message)
  })

  it('have an address of the service without a slash at its end', () => {
    for (const PUBLIC_URL of [
      'https://example.com',
      'https://example.com/',
      'https://example.com:8443//',
    ])
      expect(readConfig({ PUBLIC_URL }).publicUrl).toBe(PUBLIC_URL.replace(/\/+$/, ''))
  })

  it('let agents sign in without TLS on this machine alone', () => {
    for (const AGENTS_URL of [
      'http://localhost:8787',
      'http://127.0.0.1:8787',
      'http://[::1]:8787',
      'https://agents.example.com/',
    ])
      expect(readConfig({ AGENTS_URL }).agentsUrl).toBe(AGENTS_URL.replace(/\/$/, ''))
  })
})
