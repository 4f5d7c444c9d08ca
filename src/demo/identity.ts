import type { LotSource } from './lotSources.ts'

/** The parts of an id. */
export interface IdentityFacts {
  /** Counts up over one demo, from 0. */
  serial: number
  title: string
  /** The end of the lot in milliseconds since 1970. */
  endsAt: number
}

/** Far above the numbers in use: no demo row overwrites a real lot. */
const FIRST_NUMBER = 9_000_000_000

/** The id of a lot, in one of the styles of `data/demo/sources.json`. Ids are unique up to 60 million serials. */
export function identify({ ids: style }: LotSource, { serial, title, endsAt }: IdentityFacts): string {
  const number = String(FIRST_NUMBER + serial)
  if (style === 'sale') {
    // Real sale numbers have I, R, T or V where this one has D.
    const rest = Math.floor(serial / 9)
    const sale = digits(1 + rest / 999, 3)
    return `${1 + (serial % 9)}-1-QSC-D-${fiscalYear(endsAt)}-${sale}-${digits(1 + (rest % 999), 3)}`
  }
  if (style === 'vin') {
    // The check digit of a real VIN is 0 to 9 or X. With a Z the number belongs to no vehicle.
    const plant = Math.floor(serial / 1e6)
    return `1GS${letter(plant)}${letter(plant / 23)}DM0Z${letter(serial)}D${digits(serial % 1e6, 6)}`
  }
  // Prefixes from 900 up, to keep clear of the field offices'.
  if (style === 'case') return `${900 + (Math.floor(serial / 1e6) % 100)}-${digits(serial % 1e6, 6)}`
  if (style === 'slug') return `${dashed(title)}-${number}`
  if (style === 'catalog') return `${digits(90_000 + serial / 1000, 5)}-${1 + (serial % 1000)}`
  return number
}

function digits(value: number, length: number): string {
  return String(Math.floor(value)).padStart(length, '0')
}

const LETTERS = 'ABCDEFGHJKLMNPRSTUVWXYZ'

function letter(position: number): string {
  return LETTERS[Math.floor(position) % LETTERS.length] as string
}

/** The federal fiscal year begins in October. */
function fiscalYear(moment: number): string {
  const date = new Date(moment)
  return digits((date.getUTCFullYear() + (date.getUTCMonth() >= 9 ? 1 : 0)) % 100, 2)
}

function dashed(text: string): string {
  return text
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, 60)
    .replace(/^-|-$/g, '')
}
