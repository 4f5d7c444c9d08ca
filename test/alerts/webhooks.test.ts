import Ajv2020 from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { describe, expect, it } from 'vitest'
import type { Schemas } from '../../src/contract/types.ts'
import {
  isSpecialIp,
  newSigningSecret,
  refuseWebhookUrl,
} from '../../src/domain/alerts/webhooks.ts'
import { contract } from '../support/contract/contract.ts'

const { document } = contract
const ajv = new Ajv2020.default({ strict: false })
addFormats.default(ajv)
ajv.addSchema(document, 'contract')
const isLotMatched = ajv.compile({ $ref: 'contract#/components/schemas/LotMatched' })

const EXAMPLE = (
  document.components as unknown as {
    examples: { lotMatched: { value: Schemas['LotMatched'] } }
  }
).examples.lotMatched.value

function messageOf(title: string, name = EXAMPLE.data.search.name): Schemas['LotMatched'] {
  const { data } = EXAMPLE
  return {
    ...EXAMPLE,
    data: { ...data, search: { ...data.search, name }, listing: { ...data.listing, title } },
  }
}

describe('the body of a webhook', () => {
  it('is the body of the contract', () => {
    const body = JSON.parse(JSON.stringify(EXAMPLE))
    expect(isLotMatched(body), JSON.stringify(isLotMatched.errors)).toBe(true)
    expect(body).toEqual(EXAMPLE)
    expect(
      isLotMatched({ ...body, data: { ...body.data, change: undefined } }),
      'the judge judges',
    ).toBe(false)
  })

  it('has less than 20 kB when every text is as long as a load keeps it', () => {
    const message = messageOf('𝒳'.repeat(500), '𝒳'.repeat(100))
    const url = 'u'.repeat(2_000)
    Object.assign(message.data.listing, { city: '𝒳'.repeat(200), source_name: '𝒳'.repeat(200) })
    Object.assign(message.data.listing, { bidprowl_url: url, source_url: url, image_url: url })
    const bytes = Buffer.byteLength(JSON.stringify(message))
    expect(bytes).toBeGreaterThan(10_000)
    expect(bytes).toBeLessThan(20_000)
  })
})

it('a signing secret has 32 random bytes, never the same', () => {
  const secret = newSigningSecret()
  expect(Buffer.from(secret.replace(/^whsec_/, ''), 'base64')).toHaveLength(32)
  expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/)
  expect(newSigningSecret()).not.toBe(secret)
})

const SPECIAL = `
  0.0.0.0 10.1.2.3 100.64.0.1 100.127.255.255 127.0.0.1 127.255.255.254 169.254.169.254 172.16.0.1
  172.31.255.255 192.0.0.8 192.0.2.1 192.88.99.1 192.168.1.1 198.18.0.1 198.19.255.255 198.51.100.7
  203.0.113.9 224.0.0.1 239.255.255.255 240.0.0.1 255.255.255.255 :: ::1 ::ffff:127.0.0.1 ::ffff:7f00:1
  ::ffff:8.8.8.8 ::127.0.0.1 64:ff9b::7f00:1 64:ff9b:1::a00:1 100::1 2001::1 2001:2::1 2001:20::1
  2001:db8::1 2002:7f00:1:: 3fff::1 5f00::1 fc00::1 fd12:3456::1 fe80::1 fe80::1%eth0 fec0::1 ff02::1
  localhost 127.1 0x7f000001`
const PUBLIC = `
  1.1.1.1 8.8.8.8 9.255.255.255 11.0.0.1 100.63.255.255 100.128.0.1 126.255.255.255 128.0.0.1
  172.15.255.255 172.32.0.1 192.167.255.255 198.17.255.255 198.20.0.1 223.255.255.255 2606:4700:4700::1111
  2a00:1450:4001:81b::200e 2001:4860:4860::8888 2400:cb00::1`

function words(text: string): string[] {
  return text.trim().split(/\s+/)
}

describe('addresses that no message is sent to', () => {
  it.each(['', ...words(SPECIAL)])('%s is special', address => {
    expect(isSpecialIp(address)).toBe(true)
  })

  it.each(words(PUBLIC))('%s is public', address => {
    expect(isSpecialIp(address)).toBe(false)
  })
})

describe('the address of an endpoint', () => {
  it.each(
    words(`https://example.com/hooks?token=a https://example.com:443/ https://hooks.example.com:8443/x
      https://8.8.8.8/x https://[2606:4700:4700::1111]/x`),
  )('may be %s', address => {
    expect(refuseWebhookUrl(address)).toBeNull()
  })

  it.each<[string, RegExp]>([
    ['http://example.com/', /https/],
    ['ftp://example.com/', /https/],
    ['javascript:alert(1)', /https/],
    ['example.com/hook', /web address/],
    ['', /web address/],
    ['https://user@example.com/', /user name/],
    ['https://:secret@example.com/', /user name/],
    ['https://example.com:22/', /443 or 8443/],
    ['https://example.com:80/', /443 or 8443/],
    [`https://example.com/${'a'.repeat(2_000)}`, /too long/],
    ['https://intranet/', /public host/],
  ])('is refused: %s', (address, reason) => {
    expect(refuseWebhookUrl(address)).toMatch(reason)
  })

  it('may have any port and plain http for a host that the operator allows, and still no password', () => {
    const allowed = ['127.0.0.1', 'receiver', '[::1]']
    for (const address of ['http://127.0.0.1:9/', 'https://receiver:9/', 'http://[::1]:80/'])
      expect(refuseWebhookUrl(address, allowed)).toBeNull()
    expect(refuseWebhookUrl('http://a:b@receiver/', allowed)).toMatch(/user name/)
    expect(refuseWebhookUrl('ftp://receiver/', allowed)).toMatch(/https/)
    expect(refuseWebhookUrl('http://127.0.0.2:9/', allowed)).toMatch(/https/)
  })
})
