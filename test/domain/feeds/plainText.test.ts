import { describe, expect, it } from 'vitest'
import { tidyText, withoutMarkup } from '../../../src/domain/feeds/plainText.ts'

/** As a description is read, but for the people in it. */
const plainText = (markup: string) => tidyText(withoutMarkup(markup))

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
    ['Used. Follow us on Twitter: @PlantedSurplus', 'Used.'],
    [
      'Questions? Message me on Facebook Messenger (@nancy_quarles) or write.',
      'Questions? or write.',
    ],
    ['Bolts @ $5 each, Box x @12 V', 'Bolts @ $5 each, Box x @12 V'],
  ])('makes of %j the text %j', (markup, text) => {
    expect(plainText(markup)).toBe(text)
  })

  it.each([
    '<!--',
    '<script>',
    '<style>',
    '<script></style>',
    '<!-- x',
    '<a ',
    '&#',
    '\n ',
    'a@',
    '+1 ',
  ])(
    'ends for a million characters of %j, which takes many minutes where each is looked at again for every other',
    piece => {
      expect(plainText(piece.repeat(1_000_000 / piece.length)).length).toBeLessThanOrEqual(
        1_000_000,
      )
    },
  )
})
