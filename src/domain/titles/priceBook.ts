import book from '../../../data/price-book.json' with { type: 'json' }
import { namingParts } from './categories.ts'
import { phraseFinder, plainWords } from './lexicon.ts'

type Price = { dollars: number; isOfPiece: boolean }

const pricesIn = phraseFinder(
  new Map([...rowsOf(book.pieces, true), ...rowsOf(book.lots, false)]),
)

/** The price of many pieces grows like this power of their number. */
const PIECES_POWER = 0.7

/**
 * What the thing that a title names usually brings by `data/price-book.json`,
 * in cents; null where it has no price of it.
 */
export function bookCents(title: string, pieces = 1): number | null {
  for (const words of namingParts(title)) {
    // That of the last phrase: a desk lamp is a lamp.
    const price = pricesIn(words).findLast(({ found }) => found)?.found
    if (price)
      return (
        100 * price.dollars * (price.isOfPiece ? pieces ** PIECES_POWER : 1)
      )
  }
  return null
}

function rowsOf(
  rows: Record<string, number>,
  isOfPiece: boolean,
): [string, Price][] {
  return Object.entries(rows).map(([name, dollars]) => [
    plainWords(name).join(''),
    { dollars, isOfPiece },
  ])
}
