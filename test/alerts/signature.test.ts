import { Webhook } from 'standardwebhooks'
import { describe, expect, it } from 'vitest'
import { newSigningSecret, signedHeaders } from '../../src/domain/alerts/webhooks.ts'

const ID = '2f6a7b8c-9d0e-4f6b-8c1d-0b1f3c9e5d0a'
const BODY = '{"type":"lot.matched","title":"Düse 12 × 3 \\u0000"}'

describe('the signature of a webhook', () => {
  it('is accepted by the reference library of Standard Webhooks', () => {
    const secret = newSigningSecret()
    const headers = signedHeaders([secret], ID, new Date(), BODY)
    expect(headers['webhook-id']).toBe('msg_2f6a7b8c9d0e4f6b8c1d0b1f3c9e5d0a')
    expect(new Webhook(secret).verify(BODY, headers)).toMatchObject({ type: 'lot.matched' })
  })

  it('is the one that the reference library makes', () => {
    const secret = newSigningSecret()
    const at = new Date('2026-11-21T09:30:02.900Z')
    const expected = new Webhook(secret).sign('msg_2f6a7b8c9d0e4f6b8c1d0b1f3c9e5d0a', at, BODY)
    expect(signedHeaders([secret], ID, at, BODY)).toMatchObject({
      'webhook-timestamp': '1795253402',
      'webhook-signature': expected,
    })
  })

  it('is accepted with the old and the new secret while one replaces the other', () => {
    const [before, after, other] = [newSigningSecret(), newSigningSecret(), newSigningSecret()]
    const headers = signedHeaders([after!, before!], ID, new Date(), BODY)
    expect(headers['webhook-signature']).toMatch(/^v1,\S+ v1,\S+$/)
    for (const secret of [before!, after!]) expect(new Webhook(secret).verify(BODY, headers)).toBeTruthy()
    expect(() => new Webhook(other!).verify(BODY, headers)).toThrow()
    expect(() => new Webhook(before!).verify(`${BODY} `, headers)).toThrow()
  })

  it('has a secret of 32 random bytes, never the same', () => {
    const secret = newSigningSecret()
    expect(Buffer.from(secret.replace(/^whsec_/, ''), 'base64')).toHaveLength(32)
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/)
    expect(newSigningSecret()).not.toBe(secret)
  })
})
