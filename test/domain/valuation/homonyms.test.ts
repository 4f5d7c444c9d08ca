import { describe, expect, it } from 'vitest'
import { type Category, classifyCategory } from '../../../src/domain/titles/categories.ts'
import {
  buildSaleColumns,
  type Sale,
} from '../../../src/domain/valuation/comparables/saleColumns.ts'
import { ENOUGH_MACHINES, gradeOf } from '../../../src/domain/valuation/grade.ts'
import { buildModel, estimator } from '../../../src/domain/valuation/model.ts'
import { pastSales } from '../../../src/domain/valuation/pastSales.ts'
import { listed } from '../titles/listed.ts'
import { HOMONYMS } from './homonyms.ts'

const NOW = Date.UTC(2026, 10, 21)
const DAY_MS = 86_400_000
/** A sale of another market that is as similar is taken for one of the very same thing. */
const SAME_THING = 0.6
const MOST_SALES = 6

function sale(id: string, title: string, category: Category, daysAgo = 1): Sale {
  return { id, title, category, final_bid_cents: 10_000, sold_at_ms: NOW - daysAgo * DAY_MS }
}

const meaningsOf = (word: string) =>
  Object.entries(HOMONYMS[word]!).map(([market, titles]) => ({
    market: market as Category,
    titles: listed(titles),
  }))

/** A sale of each meaning of the other words: without them no word of a title would be rare. */
const salesBeside = (word: string) =>
  Object.keys(HOMONYMS).flatMap(other =>
    other === word
      ? []
      : meaningsOf(other).flatMap(({ market, titles }) =>
          titles.slice(0, 1).map(title => sale(`beside ${other} ${title}`, title, market, 30)),
        ),
  )

describe('a lot of one meaning of a word', () => {
  it('is taken for a thing of its own market, with at least thirty words', () => {
    expect(Object.keys(HOMONYMS).length).toBeGreaterThan(30)
    const wrong = Object.keys(HOMONYMS).flatMap(word =>
      meaningsOf(word).flatMap(({ market, titles }) =>
        titles
          .filter(title => classifyCategory(title) !== market)
          .map(title => `${word}: ${title}`),
      ),
    )
    expect(wrong).toEqual([])
  })

  it.each(Object.keys(HOMONYMS))('is never priced by the others: %s', word => {
    const meanings = meaningsOf(word)
    const beside = salesBeside(word)
    for (const meaning of meanings) {
      const others = meanings
        .filter(other => other !== meaning)
        .flatMap(({ market, titles }) =>
          titles.flatMap(title =>
            Array.from({ length: MOST_SALES }, (_, n) =>
              sale(`${title} ${n}`, title, market, n + 1),
            ),
          ),
        )
      const past = pastSales(buildSaleColumns([...others, ...beside], NOW))
      for (const title of meaning.titles) {
        const lot = { id: 'lot', title, category: classifyCategory(title) }
        const found = past.nearest(lot).filter(({ id }) => !id.startsWith('beside'))
        const unlike = found.filter(({ similarity }) => similarity < SAME_THING)
        expect([title, unlike.map(({ id }) => id)]).toEqual([title, []])
        const similarities = found.map(({ similarity }) => similarity)
        expect([title, gradeOf(lot, similarities, 1)]).not.toEqual([title, 'comparables'])
      }
    }
  })

  it('an excavator is not valued by small desktops', () => {
    const desktops = Array.from({ length: 60 }, (_, n) =>
      sale(`desktop ${n}`, `HP EliteDesk ${n % 7}00 Mini desktop`, 'electronics', n + 1),
    )
    const estimate = estimator(buildModel(desktops, NOW))
    const lot = {
      id: 'lot',
      title: 'Caterpillar 304D CR Mini Excavator',
      category: 'heavy-equipment' as const,
    }
    expect(estimate(lot)?.comparables ?? []).toEqual([])
  })
})

describe('a heavy machine', () => {
  const parts = Array.from({ length: 8 }, (_, n) =>
    sale(`part ${n}`, 'Hyster forklift battery', 'tools-industrial', n + 1),
  )
  const lot = { id: 'lot', title: 'Hyster forklift', category: 'heavy-equipment' as const }

  it.each([0, 1, 2, 3])(
    'with %d sales of its market is few from three on, whatever else is like it',
    count => {
      const machines = Array.from({ length: count }, (_, n) =>
        sale(`machine ${n}`, 'Hyster forklift H50', 'heavy-equipment', n + 1),
      )
      const past = pastSales(
        buildSaleColumns([...parts, ...machines, ...salesBeside('crane')], NOW),
      )
      const found = past.nearest(lot).filter(({ id }) => !id.startsWith('beside'))
      expect(found.every(({ id }) => id.startsWith('machine'))).toBe(true)
      const grade = gradeOf(
        lot,
        found.map(({ similarity }) => similarity),
        0.3,
      )
      expect(grade).toBe(count < ENOUGH_MACHINES ? 'words' : 'few')
    },
  )
})
