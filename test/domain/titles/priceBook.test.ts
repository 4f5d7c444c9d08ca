import { expect, it } from 'vitest'
import book from '../../../data/price-book.json' with { type: 'json' }
import { plainWords } from '../../../src/domain/titles/lexicon.ts'
import { bookCents } from '../../../src/domain/titles/priceBook.ts'

it('data/price-book.json has 1,000 names or more, each of one to four words and once, with a price', () => {
  const rows = [...Object.entries(book.pieces), ...Object.entries(book.lots)]
  expect(rows.length).toBeGreaterThan(1_000)
  for (const [, dollars] of rows) expect(dollars).toBeGreaterThan(0)
  const words = rows.map(([name]) => plainWords(name))
  for (const name of words) expect(name.length).toBeLessThan(5)
  const names = words.map(name => name.join(''))
  expect(names.filter((name, n) => names.indexOf(name) < n)).toEqual([])
})

it.each([
  ['Skid steer', 'skid steer'],
  // The longest phrase counts, and of several the last: a desk lamp is no desk.
  ['SKID STEERS, used', 'skid steer'],
  ['Oak desk lamp', 'desk lamp'],
  // The part that names the thing.
  ['Toner for laser printer', 'toner'],
  ['SAW, BAND', 'band saw'],
  ['Blue thing, scissor lift', 'scissor lift'],
] as const)('the price of "%s" is that of a %s', (title, name) =>
  expect(bookCents(title)).toBe(100 * book.pieces[name]),
)

it('many pieces bring more than one and less than as many times as much; a whole lot brings what it brings', () => {
  expect(bookCents('Desk lamps', 10)! / bookCents('Desk lamp')!).toBeCloseTo(10 ** 0.7, 6)
  expect(bookCents('Scrap metal', 10)).toBe(100 * book.lots['scrap metal'])
  expect(bookCents('Zzyzx')).toBeNull()
})
