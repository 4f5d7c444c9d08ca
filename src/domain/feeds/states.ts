import names from '../../../data/states.json' with { type: 'json' }
import timeZones from '../../../data/time-zones.json' with { type: 'json' }

/**
 * The Postal Service's codes for the armed forces in the Americas, Europe and
 * the Pacific.
 */
export const MILITARY_MAIL = new Set(['AA', 'AE', 'AP'])

/** The zone of each name in a table of names by zone, separated by blanks. */
export function zonesByName(table: Record<string, string>) {
  return new Map(
    Object.entries(table).flatMap(([zone, names]) =>
      names.split(' ').map(name => [name, zone] as const),
    ),
  )
}

/**
 * Where most people of a state or territory live decides its zone: fourteen
 * states have two.
 */
const ZONE_OF_STATE = zonesByName(timeZones.states)

/**
 * The 50 states, the District of Columbia and the territories that the Postal
 * Service gives a two-letter code.
 */
export const STATES = new Set(ZONE_OF_STATE.keys())

/**
 * The first name of each of these that `data/states.json` has, by its code, in
 * alphabetical order.
 */
export const STATE_NAMES = new Map(
  Object.entries(names)
    .map(([name, code]) => [code, name] as const)
    .filter(([code], index) => Object.values(names).indexOf(code) === index)
    .toSorted(([, one], [, other]) => (one < other ? -1 : 1)),
)

/** The name of a state or territory; its code where that is not known. */
export function nameOfState(code: string): string {
  return STATE_NAMES.get(code) ?? code
}

/**
 * Parts of states with two zones that have the other one: by ZIP code, else by
 * its first three digits.
 */
const ZONE_OF_ZIP = zonesByName(timeZones.zips)

/**
 * The IANA time zone of a place: that of its ZIP code, else of most of its
 * state, else of Washington.
 */
export function zoneAt({
  zip,
  state,
}: {
  zip: string | null
  state: string | null
}): string {
  const ofZip =
    zip &&
    (ZONE_OF_ZIP.get(zip.slice(0, 5)) ?? ZONE_OF_ZIP.get(zip.slice(0, 3)))
  return ofZip || (ZONE_OF_STATE.get(state ?? '') ?? 'America/New_York')
}

/**
 * The states and territories whose ZIP codes begin with 0, with the digits that
 * begin them.
 */
const ZERO_FIRST =
  /^(?:CT06|MA0[12]|MA055|ME039|ME04|NH03[0-8]|NJ0[78]|NY005|NY063|PR00[0679]|RI02[89]|VI008|VT05)/

/**
 * A ZIP code as five digits or ZIP+4 (`62703-1234`), however it was written:
 * `627031234`, `62703null` and `62703-0000` are known forms. A table calculator
 * drops leading zeros: `2134` is 02134 where the state is Massachusetts, and
 * nothing where the state does not begin with 0. Null for what is no ZIP code.
 */
export function zipCode(text: string, state: string | null) {
  const [, digits, four] =
    /^(\d{3,5})(?:-?(\d{4}))?(?:-|null|-null|\.0)?$/i.exec(text.trim()) ?? []
  if (!digits) return null
  const five = digits.padStart(5, '0')
  if (five !== digits && !ZERO_FIRST.test(`${state}${five}`)) return null
  return four && four !== '0000' ? `${five}-${four}` : five
}
