import type { LotSource } from './lotSources.ts'
import type { Place } from './places.ts'

/** The parts of an id and its addresses. */
export interface IdentityFacts {
  /** Counts up over one demo, from 0. */
  serial: number
  title: string
  place: Place
  /** The end of the lot in milliseconds since 1970. */
  endsAt: number
}

/** Far above the numbers in use (HiBid has passed 200 million): no demo row overwrites a real lot or links to one. */
const FIRST_NUMBER = 9_000_000_000

/** The id and the addresses of a lot, in the format of its source. Ids are unique up to 60 million serials. */
export function identify(
  source: LotSource,
  facts: IdentityFacts,
): { source_id: string; source_url: string; image_url: string } {
  const names = NAMES[source.ids](facts)
  const number = String(FIRST_NUMBER + facts.serial)
  const source_url = source.url.replace(/\{(\w+)\}/g, (_, part: string) => {
    if (part === 'slug') return names.slug ?? dashed(facts.title)
    if (part === 'org') return dashed(facts.place.city)
    if (part === 'st') return facts.place.state.toLowerCase()
    if (part === 'yymmdd') return new Date(facts.endsAt).toISOString().slice(2, 10).replaceAll('-', '')
    return names[part] ?? number
  })
  return { source_id: names.source_id, source_url, image_url: `${source.origin}/images/lots/${number}.jpg` }
}

type Names = { source_id: string } & Record<string, string | undefined>

const NAMES: Record<LotSource['ids'], (facts: IdentityFacts) => Names> = {
  number: ({ serial }) => ({ source_id: String(FIRST_NUMBER + serial) }),
  // Real sale numbers have I, R, T or V where this one has D.
  sale: ({ serial, endsAt }) => {
    const rest = Math.floor(serial / 9)
    const sale = String(1 + Math.floor(rest / 999)).padStart(3, '0')
    const lot = String(1 + (rest % 999)).padStart(3, '0')
    return { source_id: `${1 + (serial % 9)}-1-QSC-D-${fiscalYear(endsAt)}-${sale}-${lot}` }
  },
  // The check digit of a real VIN is 0 to 9 or X. With a Z the number belongs to no vehicle.
  vin: ({ serial }) => {
    const plant = Math.floor(serial / 1e6)
    const vin = `1GS${letter(plant)}${letter(plant / 23)}DM0Z${letter(serial)}D${String(serial % 1e6).padStart(6, '0')}`
    return { source_id: vin, vin }
  },
  // Prefixes from 900 up, to keep clear of the field offices'.
  case: ({ serial }) => {
    const source_id = `${900 + (Math.floor(serial / 1e6) % 100)}-${String(serial % 1e6).padStart(6, '0')}`
    return { source_id, case: source_id }
  },
  slug: ({ serial, title }) => {
    const slug = `${dashed(title)}-${FIRST_NUMBER + serial}`
    return { source_id: slug, slug }
  },
  catalog: ({ serial }) => {
    const catalog = String(90_000 + Math.floor(serial / 1000))
    const lot = String(1 + (serial % 1000))
    return { source_id: `${catalog}-${lot}`, catalog, lot }
  },
  asset: ({ serial, place }) => {
    const assetId = String(FIRST_NUMBER + serial)
    const accountId = String(90_000 + (Number(place.zip) % 10_000))
    return { source_id: `${assetId}-${accountId}`, assetId, accountId }
  },
  // One letter and one digit more than the codes in use.
  letters: ({ serial }) => {
    const source_id = `${letter(serial / 1e5)}${letter(serial / 23e5)}${letter(serial / 529e5)}${String(serial % 1e5).padStart(5, '0')}`
    return { source_id, id: source_id }
  },
}

const LETTERS = 'ABCDEFGHJKLMNPRSTUVWXYZ'

function letter(position: number): string {
  return LETTERS[Math.floor(position) % LETTERS.length] as string
}

/** The federal fiscal year begins in October. */
function fiscalYear(moment: number): string {
  const date = new Date(moment)
  return String((date.getUTCFullYear() + (date.getUTCMonth() >= 9 ? 1 : 0)) % 100).padStart(2, '0')
}

function dashed(text: string): string {
  return text
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, 60)
    .replace(/^-|-$/g, '')
}
