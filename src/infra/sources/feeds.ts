import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv'
import entries from '../../../data/feeds.json' with { type: 'json' }
import schema from '../../../data/feeds.schema.json' with { type: 'json' }
import { UserError } from '../../contract/errors.ts'
import {
  ENTRY_FIELDS,
  type FeedEntry,
  feedKey,
  feedLot,
  isOffered,
  personalColumns,
  plainCells,
} from '../../domain/feeds/feedEntry.ts'
import { isTimeZone } from '../../domain/feeds/moments.ts'
import { arcgis } from './arcgis.ts'
import { ckan } from './ckan.ts'
import { csv } from './csv.ts'
import type { OfficialSource } from './officialSource.ts'
import type { Portal } from './portal.ts'
import { socrata } from './socrata.ts'

export const PORTALS: Record<FeedEntry['portal'], Portal> = {
  socrata,
  arcgis,
  ckan,
  csv,
}

/**
 * Compiled for the first entry that is checked, in the process that fetches it:
 * compiling takes longer than checking all.
 */
let validate: ValidateFunction<FeedEntry> | null = null

/** A checked entry. @throws UserError that names what is wrong. */
export function parseFeedEntry(document: unknown): FeedEntry {
  validate ??= new Ajv({ strict: false, allErrors: true }).compile<FeedEntry>(
    schemaOfEntries(),
  )
  const refuse = (why: string) =>
    new UserError(`The entry cannot be used: ${why}`, 2)
  if (!validate(document))
    throw refuse(
      (validate.errors ?? []).filter(isOwnFault).map(faultIn).join(' '),
    )
  if (!isTimeZone(document.zone))
    throw refuse(
      `/zone "${document.zone}" is no time zone, such as America/Chicago.`,
    )
  const personal = personalColumns(document)
  if (personal.length === 0) return document
  throw refuse(
    `${personal.join(', ')} looks like personal data, which is never requested (names of people, plates, contact details).`,
  )
}

/** The schema of an entry, with the fields of a lot. */
function schemaOfEntries() {
  const fields = Object.entries(ENTRY_FIELDS).map(([kind, names]) => [
    `^(${names.join('|')})$`,
    { $ref: `#/definitions/${kind}` },
  ])
  const lot = {
    ...schema.properties.lot,
    patternProperties: Object.fromEntries(fields),
  }
  return { ...schema, properties: { ...schema.properties, lot } }
}

/** Consequences of another fault, or the condition of one. */
function isOwnFault({ keyword }: ErrorObject, _: number, all: ErrorObject[]) {
  return (
    keyword !== 'if' &&
    (keyword !== 'false schema' || !all.some(other => other.keyword === 'enum'))
  )
}

function faultIn({ instancePath, keyword, message, params }: ErrorObject) {
  const more = params.additionalProperty ?? params.allowedValues?.join(', ')
  const words =
    keyword === 'false schema'
      ? 'is not for this kind'
      : (WORDS[params.pattern] ?? message)
  return `${instancePath || 'it'} ${words}${more ? `: ${more}` : ''}.`
}

/** What the patterns of the schema ask for. */
const WORDS: Record<string, string> = {
  [schema.definitions.column.pattern]:
    'must be one column in braces, such as {sale_price}',
  [schema.definitions.url.pattern]:
    'must be an address that begins with https://',
  [schema.definitions.socrata.pattern]:
    'must be an address such as https://HOST/resource/abcd-1234.json',
  [schema.definitions.ckan.pattern]:
    'must be an address such as https://HOST/api/3/action/datastore_search?resource_id=ID',
  [schema.definitions.filters.pattern]:
    'must be its filters as JSON, such as {"status": "For sale"}',
  [schema.definitions.arcgis.pattern]:
    'must be the address of a layer, such as https://HOST/…/FeatureServer/0',
}

/** The feeds of `data/feeds.json`. Each is checked when it is fetched. */
export const PORTAL_FEEDS = entries as FeedEntry[]

/**
 * A feed as a source. Its records are read by a checked entry: a faulty one
 * fails that source alone, and says what is wrong.
 */
export function sourceOf(feed: FeedEntry): OfficialSource {
  const { key, name, homepage, zone } = feed
  const portal = PORTALS[feed.portal]
  return {
    source: key,
    description: {
      key,
      name,
      homepage,
      tz: zone,
      access: 'official_open_data',
      premium_pct: null,
    },
    needsTrial: !feed.on,
    facts: portal.facts,
    records: (from, fetchJson) =>
      portal.records(parseFeedEntry(feed), from, fetchJson),
    fieldsOf: record => plainCells(portal.cellsOf(feed, record)),
    isLot: (cells, now) => isOffered(feed, cells, now),
    readKey: cells => feedKey(feed, cells),
    readRow: cells => feedLot(feed, cells),
  }
}
