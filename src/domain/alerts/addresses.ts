import { BlockList, isIP } from 'node:net'
import blocks from '../../../data/special-addresses.json' with { type: 'json' }

const LONGEST_ADDRESS = 2_000
const PORTS = ['', '8443']

// A list each: one list would also compare IPv4 addresses, as IPv4-mapped ones, with the blocks of IPv6.
const special = { ipv4: blockList('ipv4'), ipv6: blockList('ipv6') }

function blockList(family: 'ipv4' | 'ipv6'): BlockList {
  const list = new BlockList()
  for (const block of Object.keys(blocks[family])) {
    const [network = '', bits] = block.split('/')
    list.addSubnet(network, Number(bits), family)
  }
  return list
}

/** Whether an IP address is private, of this machine, or otherwise not of a public host. What is no IP address counts as one. */
export function isSpecialAddress(address: string): boolean {
  const family = isIP(address)
  // A zone (fe80::1%eth0) is only written for link-local addresses.
  if (family === 0 || address.includes('%')) return true
  return family === 4 ? special.ipv4.check(address, 'ipv4') : special.ipv6.check(address, 'ipv6')
}

/**
 * Why messages are not sent to an address, in a sentence for its owner; null where they are. The name is not resolved: the webhook client
 * checks each resolved address.
 * @param allowedHosts names and IP addresses that may have any port, plain http and a special address.
 */
export function refuseAddress(text: string, allowedHosts: readonly string[] = []): string | null {
  if (text.length > LONGEST_ADDRESS)
    return `The address is too long. Enter one of at most ${LONGEST_ADDRESS} characters.`
  if (!URL.canParse(text))
    return 'This is not a web address. Enter one such as https://example.com/hooks/surplus.'
  const { protocol, username, password, port, hostname } = new URL(text)
  if (username !== '' || password !== '')
    return 'The address must not contain a user name or password. The signature proves who sent a message.'
  if (allowedHosts.includes(hostname) && protocol === 'http:') return null
  if (protocol !== 'https:') return 'The address must begin with https://.'
  if (allowedHosts.includes(hostname)) return null
  if (!PORTS.includes(port)) return 'The port must be 443 or 8443.'
  // The URL parser has written every spelling of an IPv4 address (2130706433, 0x7f.1) with four decimal numbers.
  const literal = hostname.replace(/^\[(.*)\]$/, '$1')
  if (isIP(literal) ? isSpecialAddress(literal) : !hostname.replace(/\.$/, '').includes('.'))
    return 'The address must be of a public host: private and special addresses are not allowed.'
  return null
}
