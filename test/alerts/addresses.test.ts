import { describe, expect, it } from 'vitest'
import { isSpecialAddress, refuseAddress } from '../../src/domain/alerts/webhooks.ts'

describe('addresses that no message is sent to', () => {
  it.each([
    '0.0.0.0',
    '10.1.2.3',
    '100.64.0.1',
    '100.127.255.255',
    '127.0.0.1',
    '127.255.255.254',
    '169.254.169.254',
    '172.16.0.1',
    '172.31.255.255',
    '192.0.0.8',
    '192.0.2.1',
    '192.88.99.1',
    '192.168.1.1',
    '198.18.0.1',
    '198.19.255.255',
    '198.51.100.7',
    '203.0.113.9',
    '224.0.0.1',
    '239.255.255.255',
    '240.0.0.1',
    '255.255.255.255',
    '::',
    '::1',
    '::ffff:127.0.0.1',
    '::ffff:7f00:1',
    '::ffff:8.8.8.8',
    '::127.0.0.1',
    '64:ff9b::7f00:1',
    '64:ff9b:1::a00:1',
    '100::1',
    '2001::1',
    '2001:2::1',
    '2001:20::1',
    '2001:db8::1',
    '2002:7f00:1::',
    '3fff::1',
    '5f00::1',
    'fc00::1',
    'fd12:3456::1',
    'fe80::1',
    'fe80::1%eth0',
    'fec0::1',
    'ff02::1',
    'localhost',
    '',
    '127.1',
    '0x7f000001',
  ])('%s is special', address => {
    expect(isSpecialAddress(address)).toBe(true)
  })

  it.each([
    '1.1.1.1',
    '8.8.8.8',
    '9.255.255.255',
    '11.0.0.1',
    '100.63.255.255',
    '100.128.0.1',
    '126.255.255.255',
    '128.0.0.1',
    '172.15.255.255',
    '172.32.0.1',
    '192.167.255.255',
    '198.17.255.255',
    '198.20.0.1',
    '223.255.255.255',
    '2606:4700:4700::1111',
    '2a00:1450:4001:81b::200e',
    '2001:4860:4860::8888',
    '2400:cb00::1',
  ])('%s is public', address => {
    expect(isSpecialAddress(address)).toBe(false)
  })
})

describe('the address of an endpoint', () => {
  it.each([
    'https://example.com/hooks?token=a',
    'https://example.com:443/',
    'https://hooks.example.com:8443/x',
    'https://8.8.8.8/x',
    'https://[2606:4700:4700::1111]/x',
  ])('may be %s', address => {
    expect(refuseAddress(address)).toBeNull()
  })

  it.each([
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
    ['https://localhost/', /public host/],
    ['https://localhost./', /public host/],
    ['https://intranet/', /public host/],
    ['https://127.0.0.1/', /public host/],
    ['https://2130706433/', /public host/],
    ['https://0x7f.1/', /public host/],
    ['https://017700000001/', /public host/],
    ['https://127.1/', /public host/],
    ['https://１２７.0.0.1/', /public host/],
    ['https://[::1]/', /public host/],
    ['https://[::ffff:127.0.0.1]/', /public host/],
    ['https://[64:ff9b::127.0.0.1]/', /public host/],
    ['https://169.254.169.254/latest/meta-data', /public host/],
    ['https://[fe80::1]/', /public host/],
  ])('is refused: %s', (address, reason) => {
    expect(refuseAddress(address)).toMatch(reason)
  })

  it('may have any port and plain http for a host that the operator allows, and still no password', () => {
    const allowed = ['127.0.0.1', 'receiver', '[::1]']
    for (const address of ['http://127.0.0.1:9/', 'https://receiver:9/', 'http://[::1]:80/'])
      expect(refuseAddress(address, allowed)).toBeNull()
    expect(refuseAddress('http://a:b@receiver/', allowed)).toMatch(/user name/)
    expect(refuseAddress('ftp://receiver/', allowed)).toMatch(/https/)
    expect(refuseAddress('http://127.0.0.2:9/', allowed)).toMatch(/https/)
  })
})
