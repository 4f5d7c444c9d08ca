import { Ajv } from 'ajv'
import entries from '../../../data/feeds.json' with { type: 'json' }
import schema from '../../../data/feeds.schema.json' with { type: 'json' }
import { UserError } from '../../domain/errors.ts'
import { type FeedEntry, feedKey, feedLot, isOffered } from '../../domain/feeds/feedEntry.ts'
import { isTimeZone } from '../../domain/feeds/moments.ts'
import { arcgis } from './arcgis.ts'
import type { OfficialSource } from './officialSource.ts'
import type { Portal } from './portal.ts'
import { countRows, socrata } from './socrata.ts'

export const PORTALS: Record<FeedEntry['portal'], Portal> = { socrata, arcgis }

const validate = new Ajv({ strict: false }).compile<FeedEntry>(schema)

/** A checked entry. @throws UserError that names what is wrong. */
export function readFeed(document: unknown): FeedEntry {
  if (!validate(document)) {
    const [{ instancePath, message, params } = {}] = validate.errors ?? []
    const more = params && 'additionalProperty' in params ? `: ${params.additionalProperty}` : ''
    throw new UserError(`The entry cannot be used: ${instancePath || 'it'} ${message}${more}.`, 2)
  }
  if (!isTimeZone(document.zone))
    throw new UserError(`The entry cannot be used: /zone "${document.zone}" is no time zone.`, 2)
  return document
}

/** The feeds of `data/feeds.json`. */
export const PORTAL_FEEDS: readonly FeedEntry[] = entries.map(readFeed)

/** A feed as a source. */
export function sourceOf(feed: FeedEntry): OfficialSource {
  const { key, name, homepage, zone, count } = feed
  const portal = PORTALS[feed.portal]
  return {
    source: key,
    description: { key, name, homepage, tz: zone, access: 'official_open_data', premium_pct: null },
    needsTrial: !feed.on,
    ...(count && { count: { of: count.of, read: countRows.bind(null, count.where) } }),
    records: (from, fetchJson) => portal.records(feed, from, fetchJson),
    fieldsOf: record => portal.cellsOf(feed, record),
    isLot: (cells, now) => isOffered(feed, cells, now),
    readKey: cells => feedKey(feed, cells),
    readRow: cells => feedLot(feed, cells),
  }
}
