import { describe, expect, it } from 'vitest'
import { searchWords } from '../../../src/domain/search/searchWords.ts'

describe('searchWords', () => {
  it.each([
    ['ford', '"ford"'],
    ['  ford   truck  ', '"ford" "truck"'],
    ['f-150', '"f 150"'],
    ['F150', '"F 150"'],
    ['"f 150"', '"f 150"'],
    ['f-150-xl', '"f 150 xl"'],
    ['4x4', '"4 x 4"'],
    ['a1b2', '"a 1 b 2"'],
    ["o'brien", '"o brien"'],
    ['"office chair" blue', '"office chair" "blue"'],
    ['ford -parts', '"ford" -"parts"'],
    ['-"spare parts" ford', '-"spare parts" "ford"'],
    ['--ford', '-"ford"'],
    ['truck-parts', '"truck parts"'],
    ['ford or dodge', '"ford" or "dodge"'],
    ['ford OR dodge', '"ford" or "dodge"'],
    ['"or"', '"or"'],
    ['for ore', '"for" "ore"'],
    ['"unclosed quote', '"unclosed" "quote"'],
    ['a"b c"d', '"a b" "c d"'],
    ['"a""b"', '"a" "b"'],
    ['ford & (dodge | !ram):* <-> \\x', '"ford" "dodge" "ram" "x"'],
    ['économie Ünïcode', '"économie" "Ünïcode"'],
    ['line\nbreak\ttab\u00a0space', '"line" "break" "tab" "space"'],
  ])('%j asks for %s', (typed, query) => {
    expect(searchWords(typed)).toBe(query)
  })

  it.each(['', ' ', '-', '--', '"', '""', '-""', '!!!', '\\', "'", '%', '🚚', '\u0000'])(
    '%j has no searchable word, so it asks for nothing',
    typed => {
      expect(searchWords(typed)).toBe('')
    },
  )

  it('leaves nothing but quoted phrases of letters and digits, minus and or, whatever is typed', () => {
    const pieces = [
      'ford',
      '"',
      '-',
      "'",
      'or',
      ' ',
      '150',
      '\\',
      ':*',
      '&',
      '|',
      '!',
      '(',
      ')',
      '<->',
      'é',
      '\u0000',
    ]
    for (let seed = 1; seed < 2_000; seed++) {
      const typed = Array.from(
        { length: 8 },
        (_, n) => pieces[(seed * 31 + n * n * seed) % pieces.length],
      ).join('')
      expect(searchWords(typed)).toMatch(/^((-?"[\p{L}\p{N}]+( [\p{L}\p{N}]+)*"|or)( |$))*$/u)
    }
  })
})
