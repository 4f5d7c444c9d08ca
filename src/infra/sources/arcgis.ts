import type { Cells } from '../../domain/feeds/badRow.ts'
import { fieldsOf, isObject } from '../../domain/feeds/cells.ts'
import {
  columnsOf,
  type FeedEntry,
  POINT,
  whereOf,
} from '../../domain/feeds/feedEntry.ts'
import { FetchFailure } from '../fetching/jsonBody.ts'
import { addressWith } from './officialSource.ts'
import { namesIn, type Portal } from './portal.ts'

/** The smallest limit of a server that cuts pages without saying so. */
const SHORT_PAGE = 1000
const HINT =
  ' Check the address, the columns, where, and order, which must be the object id.'
const ANSWER = ['error', 'features', 'exceededTransferLimit']

/**
 * ArcGIS REST
 * (https://developers.arcgis.com/rest/services-reference/enterprise/query-feature-service-layer/).
 * Pages follow the object id, because some layers refuse `resultOffset` and
 * every server has a limit of its own. Polygons are simplified to about 50 m.
 */
export const arcgis: Portal = {
  async *records(feed, { address, redirectHosts }, fetchJson) {
    for (let last = -1; ; ) {
      const answer = await fetchJson({
        url: queryOf(feed, address, last),
        redirectHosts,
      })
      const { error, features, exceededTransferLimit } = fieldsOf(
        answer,
        ANSWER,
      )
      // ArcGIS answers an error with the status 200 too; its words may repeat
      // what a row holds.
      if (isObject(error))
        throw new FetchFailure(
          `${feed.name} answered an error (${Number(error.code)}).${HINT}`,
        )
      if (!Array.isArray(features))
        throw new FetchFailure(
          `The answer for ${feed.name} has no list of features.`,
        )
      yield features
      const hasMore =
        exceededTransferLimit === true || features.length >= SHORT_PAGE
      if (features.length === 0 || !hasMore) return
      const next = Number(attributesOf(feed, features.at(-1))[feed.order!])
      if (!(next > last))
        throw new FetchFailure(
          `${feed.name} sends pages that are not in the order of ${feed.order}.`,
        )
      last = next
    }
  },
  cellsOf: (feed, record) => ({
    ...attributesOf(feed, record),
    ...pointOf(record),
  }),
  recordOf({ [POINT.latitude]: y, [POINT.longitude]: x, ...attributes }) {
    return { attributes, geometry: { x, y } }
  },
  answerOf: features => ({ features }),
  async facts({ address, redirectHosts }, fetchJson) {
    const url = addressWith(address, { f: 'json' })
    const layer = fieldsOf(await fetchJson({ url, redirectHosts }), [
      'fields',
      'editingInfo',
      'copyrightText',
    ])
    const { lastEditDate: changed } = fieldsOf(layer.editingInfo, [
      'lastEditDate',
    ])
    return {
      columns: namesIn(layer.fields, 'name'),
      changed,
      license: layer.copyrightText,
    }
  },
}

function queryOf(feed: FeedEntry, address: string, last: number) {
  const url = addressWith(address, {
    where: `${feed.where ? `(${whereOf(feed)}) AND ` : ''}${feed.order} > ${last}`,
    outFields: columnsOf(feed).join(','),
    orderByFields: `${feed.order} ASC`,

    returnGeometry: 'true',
    outSR: '4326',
    maxAllowableOffset: '0.0005',
    f: 'json',
  })
  url.pathname += '/query'
  return url
}

function attributesOf(feed: FeedEntry, record: unknown) {
  return fieldsOf(fieldsOf(record, ['attributes']).attributes, columnsOf(feed))
}

/** A point, or the middle of what the first ring of a polygon spans. */
function pointOf(record: unknown): Cells {
  const { x, y, rings } = fieldsOf(fieldsOf(record, ['geometry']).geometry, [
    'x',
    'y',
    'rings',
  ])
  if (!Array.isArray(rings) || !Array.isArray(rings[0]))
    return { [POINT.latitude]: y, [POINT.longitude]: x }
  const corners: unknown[] = rings[0]
  const middle = (axis: 0 | 1) => {
    // Sorted, because a ring may have more corners than Math.min takes
    // arguments.
    const values = Float64Array.from(corners, at =>
      Number(Array.isArray(at) ? at[axis] : NaN),
    ).sort()
    return (values[0]! + values.at(-1)!) / 2
  }
  return { [POINT.latitude]: middle(1), [POINT.longitude]: middle(0) }
}
