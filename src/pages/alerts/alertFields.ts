import { invalidRequest } from '../../contract/errors.ts'
import { ownName } from '../../domain/accounts/formFields.ts'
import {
  ALERT_KINDS,
  CADENCES,
  type SavedSearch,
} from '../../domain/alerts/savedSearch.ts'
import { FILTER_NAMES, filtersOf } from '../../domain/search/filters.ts'
import { filterOf } from '../../usecases/searchLots.ts'
import type { Shown } from '../kit/forms.ts'
import type { Fields } from '../kit/requests.ts'
import { OF_SEARCH_PAGE, pathWith, type Sent, type Site } from '../kit/site.ts'
import { assertPlace, meantBy } from '../lots/readForm.ts'
import { summaryOf } from '../lots/search.ts'

/** The contract bounds the name of a search in a message. */
export const LONGEST_NAME = 100

const FILTER_FIELDS: string[] = [...FILTER_NAMES, 'radius_miles']
/** The parameters of a search that a saved one does not have. */
const UNSAVED = ['sort', 'group', 'page', 'per_page']
/** The settings of a new alert. */
const USUAL = { by_mail: 'true' }

/** A lot to watch. */
export interface WatchedLot {
  id: string
  title: string
}

/**
 * Reads the form of a saved search. The filters are checked as those of a
 * search are.
 * @param lot the lot to watch; null for a search.
 * @throws ApiError 400 with a sentence for the person who filled it in.
 */
export async function searchOfFields(
  fields: Fields,
  lot: WatchedLot | null,
  site: Site,
): Promise<SavedSearch> {
  const { query, words } = lot
    ? { query: {}, words: lot.title }
    : await filtersOfFields(fields, site)
  const kinds = ALERT_KINDS.filter(kind => fields[`kind_${kind}`] === 'true')
  const cadence = CADENCES.find(each => each === fields.cadence)
  if (kinds.length === 0)
    throw invalidRequest('Choose at least one thing to be alerted to.')
  if (!cadence)
    throw invalidRequest(
      `Choose how often we email you: ${CADENCES.join(', ')}.`,
    )
  return {
    name: searchName(fields.name ?? '', words),
    query,
    lot_id: lot?.id ?? null,
    kinds,
    cadence,
    by_mail: fields.by_mail === 'true',
    by_file: fields.by_file === 'true',
    endpoint_ids: Object.keys(fields)
      .flatMap(field => /^endpoint_([1-9]\d{0,14})$/.exec(field)?.[1] ?? [])
      .map(Number),
    is_paused: false,
  }
}

/**
 * The filters that are set, as the contract types them, and in words.
 * @throws ApiError 400 as a search does.
 */
export async function filtersOfFields(
  fields: Fields,
  { readSearch, sources }: Site,
) {
  const sent: Sent = FILTER_FIELDS.map(name => [name, fields[name] ?? ''])
  const meant = meantBy(sent)
  if (!meant.zip) assertPlace(sent)
  const input = readSearch(
    pathWith('/search', sent, meant),
    OF_SEARCH_PAGE,
  ).input()
  // Refuses what the schemas of the contract cannot say: a ZIP code that does
  // not exist, a price range that is turned around.
  filterOf(input)
  const query: Record<string, unknown> = {}
  for (const filter of filtersOf(input)) query[filter] = input[filter]
  if (input.zip !== undefined) query.radius_miles = input.radius_miles
  return {
    query: query as SavedSearch['query'],
    words: summaryOf(input, await sources()),
  }
}

/** A name that was typed, or words that describe the search. */
function searchName(typed: string, words: string) {
  if (typed.trim() === '')
    return (
      ownName([...words].slice(0, LONGEST_NAME).join(''), LONGEST_NAME) ??
      'All live lots'
    )
  const name = ownName(typed, LONGEST_NAME)
  if (name !== null) return name
  throw invalidRequest(
    `The name of an alert must be one line of at most ${LONGEST_NAME} visible characters.`,
  )
}

/** The fields that show a saved search. */
export function fieldsOfSearch({
  query,
  kinds,
  endpoint_ids,
  ...settings
}: SavedSearch): Shown {
  const texts = Object.entries({ ...query, ...settings }).map(
    ([name, value]) => [name, String(value)],
  )
  return {
    ...Object.fromEntries(texts),
    ...ticked('kind', kinds),
    ...ticked('endpoint', endpoint_ids),
  }
}

function ticked(group: string, values: (string | number)[]): Shown {
  return Object.fromEntries(values.map(value => [`${group}_${value}`, 'true']))
}

/**
 * The fields of a new alert from the query of a ready link: filters of a
 * search, `listing_id`, `name`, `kinds` (separated by commas) and `cadence`.
 * @returns also the names of the parameters that mean nothing here.
 */
export function fieldsOfLink(link: URLSearchParams, isInstant: boolean) {
  const sent = new Map([...link].reverse().filter(([, value]) => value !== ''))
  const listingId = sent.get('listing_id') ?? null
  const filters =
    listingId === null ? FILTER_FIELDS.filter(name => sent.has(name)) : []
  const wanted = sent.get('kinds')?.split(',') ?? []
  const kinds = ALERT_KINDS.filter(kind => wanted.includes(kind))
  const cadence = CADENCES.find(each => each === sent.get('cadence'))
  // A lot that is listed earlier comes into a search by "ends within" when its
  // last hours begin.
  const ofSearch = [
    'new',
    'price_drop',
    ...(filters.includes('closing_within_hours') ? ['ending'] : []),
  ]
  const usualKinds =
    listingId === null ? ofSearch : ALERT_KINDS.filter(kind => kind !== 'new')
  const known = [...filters, ...UNSAVED, 'listing_id', 'name']
  if (kinds.length === wanted.length) known.push('kinds')
  if (cadence || !sent.has('cadence')) known.push('cadence')
  const fields: Shown = {
    ...Object.fromEntries(filters.map(name => [name, sent.get(name)])),
    ...USUAL,
    ...ticked('kind', kinds.length > 0 ? kinds : usualKinds),
    name: sent.get('name') ?? '',
    cadence: cadence ?? (isInstant ? 'instant' : 'daily'),
  }
  return {
    fields,
    listingId,
    dropped: [...new Set(link.keys())].filter(name => !known.includes(name)),
  }
}
