import { describe, expect, it } from 'vitest'
import { searchWords } from '../../../src/domain/search/searchWords.ts'

describe('searchWords', () => {
  it.each([
    ['ford', "('ford')"],
    ['  ford   truckload  ', "('ford') & ('truckload')"],
    ['f-150', "('f 150')"],
    ['F150', "('f 150')"],
    ['"f 150"', "('f 150':ACD)"],
    ['f-150-xl', "('f 150 xl' | 'f150xl')"],
    ['a1b2', "('a 1 b 2')"],
    ["o'brien", "('o brien')"],
    ['"office chair" blue', "('office chair':ACD) & ('blue')"],
    ['ford -parts', "('ford') & !('parts')"],
    ['-"spare parts" ford', "!('spare parts':ACD) & ('ford')"],
    ['--ford', "!('ford')"],
    ['truckload-parts', "('truckload parts')"],
    ['ford or dodge', "('ford') | ('dodge')"],
    ['ford OR dodge ram', "('ford') | ('dodge') & ('ram')"],
    ['or ford or or dodge or', "('ford') | ('dodge')"],
    ['"or"', "('or':ACD)"],
    ['for ore', "('for') & ('ore')"],
    ['"unclosed quote', "('unclosed') & ('quote')"],
    ['a"b c"d', "('a b') & ('c d')"],
    ['"a""b"', "('a':ACD) & ('b':ACD)"],
    ['ford & (dodge | !ram):* <-> \\x', "('ford') & ('dodge') & ('ram') & ('x')"],
    ['économie Ünïcode', "('economie') & ('unicode')"],
    ['line\nbreak\ttab\u00a0space', "('line') & ('break') & ('tab') & ('space')"],
  ])('%j asks for %s', (typed, query) => {
    expect(searchWords(typed).all).toBe(query)
  })

  it('asks for the title with the words together, and for title and what was read with each of them', () => {
    expect(searchWords('blue "office chair" -broken or ram suv')).toMatchObject({
      all: expect.stringMatching(
        /^\('blue'\) & \('office chair':ACD\) & !\('broken'\) \| \('ram'\) & \('suv' \| /,
      ),
      titled: expect.stringMatching(
        /^\('blue':A\) & \('office chair':A\) .* \('ram':B\) .* \| 'dodgedurango':B /,
      ),
      read: expect.stringMatching(
        /^\('blue':AB\) & \('office chair':A\) .* \('ram':AB\) .* \| 'dodgedurango':B /,
      ),
      title: "'blue office chair':A | 'ram suv':A",
    })
  })

  it.each([
    ['skid-steer', "('skid steer' | 'skidsteer' | "],
    ['used Skid Steers bucket', "('used') & (('skid' & 'steers') | 'skidsteer' | "],
    ['humvee', "('humvee' | 'hmmwv' | 'hum vee' | "],
    ['HMMWV', "('hmmwv' | 'humvee' | 'hum vee' | "],
    ['Crown Vic', "(('crown' & 'vic') | 'crown victoria')"],
    [
      'rv',
      "('rv' | 'motorhome' | 'motor home' | 'recreational vehicle' | 'travel trailer' | 'camper' | 'fifth wheel' | '5 th wheel')",
    ],
    ['deuce and a half', "| '2 5 ton' | '2 1 2 ton' | 'm 35')"],
    ['jet skis', "(('jet' & 'skis') | 'jet ski' | 'jetski' | "],
    ['black hawk', "(('black' & 'hawk') | 'blackhawk' | 'uh 60')"],
    ['police car', "(('police' & 'car') | 'police cruiser' | 'police interceptor' | "],
    ['-skidsteer', "!('skidsteer' | 'skid steer' | "],
    ['cat', "('cat' | 'caterpillar')"],
    ['3-1-QSC-I-27-006-005', "('3 1 qsc i 27 006 005' | '31qsci27006005')"],
  ])('%j also asks for what means the same: %s', (typed, query) => {
    expect(searchWords(typed).all).toContain(query)
  })

  it.each(['"skid steer"', 'skid "steer"', 'skid -steer'])('%j asks for nothing else', typed => {
    expect(searchWords(typed).all).not.toContain('skidsteer')
  })

  it.each(['', ' ', '-', '--', '"', '""', '-""', '!!!', '\\', "'", '%', '🚚', '\u0000'])(
    '%j has no searchable word, so it asks for nothing',
    typed => {
      expect(searchWords(typed)).toEqual({ all: '', titled: '', read: '', title: '' })
    },
  )

  it('leaves nothing but quoted phrases of letters and digits, minus and or, whatever is typed', () => {
    const pieces = [...'"-\' \\&|!()é\u0000', 'ford', 'or', '150', ':*', '<->']
    for (let seed = 1; seed < 2_000; seed++) {
      const piece = (n: number) => pieces[(seed * 31 + n * n * seed) % pieces.length]
      const typed = Array.from({ length: 8 }, (_, n) => piece(n)).join('')
      const phrase = "'[\\p{L}\\p{N}]+(?: [\\p{L}\\p{N}]+)*'(?::ACD)?"
      const part = `!?\\(${phrase}(?: \\| ${phrase})*\\)`
      expect(searchWords(typed).all).toMatch(new RegExp(`^(?:${part}(?: [&|] ${part})*)?$`, 'u'))
    }
  })
})
