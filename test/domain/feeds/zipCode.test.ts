import { describe, expect, it } from 'vitest'
import { zipCode } from '../../../src/domain/feeds/states.ts'
import { readings } from '../titles/listed.ts'

describe('a ZIP code', () => {
  it.each(
    readings(`62703, IL = 62703 | 62703-1234, IL = 62703-1234 | 627031234, IL = 62703-1234 | 62703null, IL = 62703
      | 62703-, IL = 62703 | 62703-0000, IL = 62703 | 62703.0, IL = 62703 | 2134, MA = 02134
      | 2134-1001, MA = 02134-1001 | 7102, NJ = 07102 | 601, PR = 00601 | 802, VI = 00802 | 501, NY = 00501
      | 5501, MA = 05501`),
  )('%s is %s', (written, zip) =>
    expect(zipCode(...(written.split(', ') as [string, string]))).toBe(zip),
  )

  it('needs no state where it has five digits, and may have blanks around it', () =>
    expect(zipCode(' 62703 ', null)).toBe('62703'))

  it.each([
    ['2134', 'TX'],
    ['2134', null],
    ['2134', 'VT'],
    ['601', 'MA'],
    ['12', 'MA'],
    ['', 'MA'],
    ['null', 'MA'],
    ['627031', 'IL'],
    ['62703-12', 'IL'],
    ['K1A 0B1', null],
    ['constructor', 'constructor'],
  ])('is not %j in %s', (text, state) => expect(zipCode(text, state)).toBeNull())
})
