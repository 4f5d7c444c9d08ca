import { describe, expect, it } from 'vitest'
import { plainText } from '../../../src/domain/feeds/plainText.ts'

describe('plainText', () => {
  it.each([
    ['<p>A <b>desk</b></p><p>of oak</p>', 'A desk\nof oak'],
    ['before<script>var a = "<p>"</script >after', 'before after'],
    ['before<STYLE type="text/css">p {}</style>after', 'before after'],
    ['one<!-- two <!-- three -->four', 'one four'],
    ['one<!---->two', 'one two'],
    ['one<script>two</style>three</script>four', 'one four'],
    ['one<!-- two', 'one<!-- two'],
    ['a\t b\u00a0 c \n d', 'a b c\nd'],
    ['Tom &amp; Jerry &lt;3', 'Tom & Jerry <3'],
  ])('makes of %j the text %j', (markup, text) => {
    expect(plainText(markup)).toBe(text)
  })

  it.each(['<!--', '<script>', '<style>', '<script></style>', '<!-- x', '<a ', '&#', '\n ', 'a@', '+1 '])(
    'takes of 100,000 characters of %j at most 20 times as long as of plain words',
    piece => {
      const words = quickestMs('runs and drives well '.repeat(5000))
      const hostile = quickestMs(piece.repeat(Math.floor(100_000 / piece.length)))
      expect(hostile).toBeLessThan(Math.max(10, 20 * words))
    },
  )
})

/** Processor time, the least of five: other programs do not lengthen it. */
function quickestMs(markup: string): number {
  const times = Array.from({ length: 5 }, () => {
    const started = process.cpuUsage()
    plainText(markup)
    return process.cpuUsage(started).user / 1_000
  })
  return Math.min(...times)
}
