import { describe, expect, it } from 'vitest'
import { ipBlock } from '../../../src/domain/ipBlock.ts'
import { readings } from '../titles/listed.ts'

describe('the block of an address that one caller has to itself', () => {
  it.each(
    readings(`203.0.113.7 = 203.0.113.7 | 203.0.113.7:443 = 203.0.113.7 | ::ffff:203.0.113.7 = 203.0.113.7
      | ::ffff:cb00:7107 = 203.0.113.7 | [::ffff:203.0.113.7]:443 = 203.0.113.7
      | 2001:db8::1 = 2001:db8:0:0::/64 | 2001:db8:0:0:ffff:: = 2001:db8:0:0::/64
      | 2001:DB8:A:B:1:2:3:4 = 2001:db8:a:b::/64 | [2001:db8:a:b::1]:443 = 2001:db8:a:b::/64
      | fe80::1%eth0 = fe80:0:0:0::/64 | ::1 = 0:0:0:0::/64 | :: = 0:0:0:0::/64`),
  )('of %j is %s', (address, block) => expect(ipBlock(` ${address} `)).toBe(block))

  const faulty = [
    ...'256.1.1.1 1.2.3 0x7f.1 2001:db8::g ::: unknown'.split(' '),
    '',
    "1.2.3.4'; drop table keys",
  ]
  it.each(faulty)('of %j is unknown', address => expect(ipBlock(address)).toBe('unknown'))
})
