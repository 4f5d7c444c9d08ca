import { BadRow, shown } from './badRow.ts'
import type { Cells } from './cells.ts'

const AMOUNT = /^\$?(\d{1,3}(?:,\d{3}){1,3}|\d{1,10})(?:\.(\d{1,2})0*)?$/

/**
 * An amount of US dollars as integer cents: a number, or text such as "81480.00", "$1,145" or "75.0000".
 * @throws BadRow when it is neither, below 0, or finer than a cent.
 */
export function dollarsToCents(cells: Cells, column: string): number | null {
  const value = cells[column]
  if (value === undefined || value === null || value === '') return null
  const text = typeof value === 'number' ? String(value) : typeof value === 'string' ? value.trim() : ''
  const [, dollars, cents = ''] = AMOUNT.exec(text) ?? []
  if (!dollars) {
    throw new BadRow(`${column} must be US dollars with at most two decimals, not ${shown(value)}.`)
  }
  return Number(dollars.replaceAll(',', '')) * 100 + Number(cents.padEnd(2, '0'))
}
