import { describe, expect, it } from 'vitest'
import { folded, searchable } from '../../src/domain/search/letters.ts'
import { freshDatabase } from '../support/database/database.ts'
import { shared } from '../support/run/shared.ts'

const database = shared(freshDatabase)

/** Every character, with letters, digits and blanks beside it. */
const CHARACTERS = Array.from({ length: 0x1_fb00 }, (_, code) => code)
  .filter(code => code > 0 && !(code >= 0xd800 && code <= 0xdfff))
  .map(code => String.fromCodePoint(code))

describe('the letters of words that are searched', () => {
  it('are the same in a query and in the words of a lot, for every character', async () => {
    const { sql } = database
    const texts = CHARACTERS.map(letter => `${letter} x${letter}y 1${letter}2`)
    const rows = await sql<{ folded: string; words: string }[]>`
      select folded(given), btrim(searchable(given)) as words
      from json_array_elements_text(${JSON.stringify(texts)}::text::json) with ordinality as texts (given, n)
      order by n`
    const differing = CHARACTERS.filter((_, n) => {
      const { folded: letters, words } = rows[n]!
      return letters !== folded(texts[n]!) || words.replace(/ +/g, ' ') !== searchable(texts[n]!)
    })
    expect(differing.map(letter => letter.codePointAt(0)!.toString(16))).toEqual([])
  })

  it('stay letters, and lose their capitals and accents', () => {
    expect(searchable('CAFÉ Łódź straße Ærø F150')).toBe('cafe lodz strasse aero f 150')
    expect(searchable('Ελλάς ЖУК cafe\u0301')).toBe('ελλασ жук cafe')
    expect(searchable('GORE-TEX™ 🚚truck “½” 漢字')).toBe('gore tex truck 漢字')
  })
})
