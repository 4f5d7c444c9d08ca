import { describe, expect, it } from 'vitest'
import { changeInWords, publisherChange } from '../../src/domain/feeds/publisherChange.ts'

const NOW = new Date('2026-11-21T09:30:00Z')

describe('when a publisher changed its data last', () => {
  it.each([
    [1_760_000_000, '2025-10-09T08:53:20.000Z'],
    ['1760000000', '2025-10-09T08:53:20.000Z'],
    [1_760_000_000_123, '2025-10-09T08:53:20.123Z'],
    ['Tue, 03 Mar 2026 07:28:00 GMT', '2026-03-03T07:28:00.000Z'],
    ['2026-03-03T07:28:00Z', '2026-03-03T07:28:00.000Z'],
    ['2026-03-03T07:28:00-05:00', '2026-03-03T12:28:00.000Z'],
    ['2026-03-03T07:28:00.123456', '2026-03-03T07:28:00.123Z'],
    ['2026-03-03', '2026-03-03T00:00:00.000Z'],
  ])('is read from %j', (written, changed_at) => {
    expect(publisherChange(written, NOW)).toBe(changed_at)
  })

  it.each([
    ...[
      null,
      undefined,
      '',
      0,
      -1,
      17,
      'soon',
      'unknown 7',
      'null',
      true,
      {},
      [],
      NaN,
      9e15,
      '0001-01-01T00:00:00',
    ],
    ...['Thu, 01 Jan 1970 00:00:00 GMT', '1980-01-01', '2026-13-01', 1_999_999_999, '9999-12-31'],
  ])('is unknown where it says %j', written => {
    expect(publisherChange(written, NOW)).toBeNull()
  })

  it.each([
    ['2026-11-20T00:00:00Z', 'The publisher changed it last on Nov 20, 2026.', false],
    ['2026-08-23T09:30:00Z', 'The publisher changed it last on Aug 23, 2026.', false],
    [
      '2026-08-22T09:30:00Z',
      'The publisher changed it last on Aug 22, 2026, 91 days ago: it may be out of date.',
      true,
    ],
  ])('in words: %s', (changed_at, words, isOld) => {
    expect(changeInWords(changed_at, NOW)).toEqual({ words, isOld })
    expect(changeInWords(null, NOW)).toBeNull()
  })
})
