const IPV4 = /^(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})$/

/** What counts as one caller where no address can be read. */
const UNREADABLE = 'unknown'

/**
 * How many times the allowance of a /64 a /56 has: a household has up to 256
 * blocks of 64 bits (RFC 6177).
 */
export const WIDE_ALLOWANCE = 4

/**
 * The part of a network address that one caller has to itself: an IPv4 address,
 * or the first 64 bits of an IPv6 one (RFC 6177: a site gets a /64 at least).
 * An IPv4 address written as IPv6 is the IPv4 one; a port is dropped.
 * @param bits 56 for all blocks that a household has.
 */
export function ipBlock(address: string, bits: 64 | 56 = 64): string {
  const bare = address
    .trim()
    .replace(/%.*$/, '')
    .replace(/^\[(.*)\](:\d+)?$/, '$1')
    .replace(/^([\d.]+):\d+$/, '$1')
  if (bare.includes(':')) return blockOfIpv6(bare, bits)
  return ipv4(bare) ?? UNREADABLE
}

function ipv4(text: string) {
  const octets = IPV4.exec(text)?.slice(1).map(Number)
  return octets?.every(octet => octet < 256) ? octets.join('.') : null
}

/**
 * The parser of addresses knows every spelling of IPv6, and answers with
 * hexadecimal groups in their shortest form.
 */
function blockOfIpv6(text: string, bits: 64 | 56) {
  if (!URL.canParse(`http://[${text}]/`)) return UNREADABLE
  const [head = '', tail] = new URL(`http://[${text}]/`).hostname
    .slice(1, -1)
    .split('::')
  const before = head === '' ? [] : head.split(':')
  const after = tail ? tail.split(':') : []
  const groups = [
    ...before,
    ...new Array(8 - before.length - after.length).fill('0'),
    ...after,
  ]
  const isIpv4 =
    groups.slice(0, 5).every(group => group === '0') && groups[5] === 'ffff'
  if (!isIpv4) {
    const network = groups.slice(0, 4)
    if (bits === 56)
      network[3] = (Number.parseInt(network[3], 16) & 0xff00).toString(16)
    return `${network.join(':')}::/${bits}`
  }
  const [high, low] = groups
    .slice(6)
    .map(group => Number.parseInt(group, 16)) as [number, number]
  return [high >> 8, high & 255, low >> 8, low & 255].join('.')
}
