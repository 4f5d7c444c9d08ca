import type { LotSource, Place } from './lotSources.ts'

/** The parts of an id and its addresses. */
export interface IdentityFacts {
  /** Counts up over one demo, from 0. */
  serial: number
  title: string
  place: Pick<Place, 'state' | 'city' | 'zip'>
  /** The end of the lot in milliseconds since 1970. */
  endsAt: number
}

/** Far above the numbers in use (HiBid has passed 200 million): no demo row overwrites a real lot or links to one. */
const FIRST_NUMBER = 9_000_000_000

/** The id and the addresses of a lot, in the format of its source. Ids are unique up to 60 million serials. */
export function identify(source: LotSource, facts: IdentityFacts) {
  const number = String(FIRST_NUMBER + facts.serial)
  const names = namesOf(source.ids, number, facts)
  const { source_id = number } = names
  const source_url = source.url.replace(/\{(\w+)\}/g, (_, part: string) => {
    if (part === 'slug') return names.slug ?? dashed(facts.title)
    if (part === 'org') return dashed(facts.place.city)
    if (part === 'st') return facts.place.state.toLowerCase()
    if (part === 'yymmdd') return new Date(facts.endsAt).toISOString().slice(2, 10).replaceAll('-', '')
    return names[part] ?? number
  })
  return { source_id, source_url, image_url: `${source.origin}/images/lots/${number}.jpg` }
}

/** The id, unless it is the number, and the parts of addresses, for one of the styles of `data/demo/sources.json`. */
function namesOf(
  style: string,
  number: string,
  { serial, title, place, endsAt }: IdentityFacts,
): Record<string, string> {
  if (style === 'sale') {
    // Real sale numbers have I, R, T or V where this one has D.
    const rest = Math.floor(serial / 9)
    const sale = digits(1 + rest / 999, 3)
    return {
      source_id: `${1 + (serial % 9)}-1-QSC-D-${fiscalYear(endsAt)}-${sale}-${digits(1 + (rest % 999), 3)}`,
    }
  }
  if (style === 'vin') {
    // The check digit of a real VIN is 0 to 9 or X. With a Z the number belongs to no vehicle.
    const plant = Math.floor(serial / 1e6)
    const vin = `1GS${letter(plant)}${letter(plant / 23)}DM0Z${letter(serial)}D${digits(serial % 1e6, 6)}`
    return { source_id: vin, vin }
  }
  if (style === 'case') {
    // Prefixes from 900 up, to keep clear of the field offices'.
    const source_id = `${900 + (Math.floor(serial / 1e6) % 100)}-${digits(serial % 1e6, 6)}`
    return { source_id, case: source_id }
  }
  if (style === 'slug') {
    const slug = `${dashed(title)}-${number}`
    return { source_id: slug, slug }
  }
  if (style === 'catalog') {
    const catalog = digits(90_000 + serial / 1000, 5)
    const lot = String(1 + (serial % 1000))
    return { source_id: `${catalog}-${lot}`, catalog, lot }
  }
  if (style === 'asset') {
    const accountId = String(90_000 + (Number(place.zip) % 10_000))
    return { source_id: `${number}-${accountId}`, accountId }
  }
  if (style === 'letters') {
    // One letter and one digit more than the codes in use.
    const id = `${letter(serial / 1e5)}${letter(serial / 23e5)}${letter(serial / 529e5)}${digits(serial % 1e5, 5)}`
    return { source_id: id, id }
  }
  return {}
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
