import { describe, expect, it } from 'vitest'
import { slugOf } from '../../../src/domain/feeds/lotRow.ts'

describe('the slug of a lot', () => {
  it('is its title, source and source id', () => {
    expect(slugOf('2014 Ford F-150 XL', 'gsa', '3-1-QSC-I-27-006-005')).toBe(
      '2014-ford-f-150-xl-gsa-3-1-qsc-i-27-006-005',
    )
  })

  it('drops accents and turns everything else into single hyphens', () => {
    expect(slugOf('  Café — Ñandú (2 EA) ½!', 'x-1', 'A/b_C')).toBe('cafe-nandu-2-ea-1-2-x-1-a-b-c')
  })

  it.each(['日本語', '😀', '...', ''])('has a word where the title "%s" gives none', title => {
    expect(slugOf(title, 'gsa', '7')).toBe('lot-gsa-7')
  })

  it('is of bounded length and never ends a part with a hyphen', () => {
    const slug = slugOf('word '.repeat(100), 'gsa', '7')
    expect(slug).toMatch(/^(?:word-){16}gsa-7$/)
    expect(slugOf('ﷺ'.repeat(500), 'a'.repeat(64), 'b'.repeat(200)).length).toBeLessThan(350)
  })

  it('never looks like the id of a lot', () => {
    expect(slugOf('0', '0', '0')).not.toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-/)
  })
})
