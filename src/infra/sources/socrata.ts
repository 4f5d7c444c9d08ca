import { fieldsOf } from '../../domain/feeds/cells.ts'
import { columnsOf, whereOf } from '../../domain/feeds/feedEntry.ts'
import { FetchFailure } from '../fetching/jsonBody.ts'
import { addressWith } from './officialSource.ts'
import { namesIn, type Portal } from './portal.ts'

/** The default page of SODA 2.x, which every server grants. */
const PAGE = 1000

/**
 * Socrata: SODA 2.1 (https://dev.socrata.com/docs/queries/). Numbers may come
 * as text, and dates have no zone.
 */
export const socrata: Portal = {
  async *records(feed, { address, redirectHosts }, fetchJson) {
    for (let offset = 0; ; ) {
      const where: Record<string, string> = feed.where
        ? { $where: whereOf(feed) }
        : {}
      const page = {
        $order: feed.order!,
        $limit: String(PAGE),
        $offset: String(offset),
      }
      const url = addressWith(address, {
        $select: columnsOf(feed).join(','),
        ...where,
        ...page,
      })
      const rows = await fetchJson({ url, redirectHosts })
      if (!Array.isArray(rows))
        throw new FetchFailure(
          `The answer for ${feed.name} is no list of rows. Check the address.`,
        )
      yield rows
      offset += rows.length
      if (rows.length < PAGE) return
    }
  },
  cellsOf: (feed, record) => fieldsOf(record, columnsOf(feed)),
  recordOf: cells => cells,
  answerOf: records => records,
  async facts({ address, redirectHosts }, fetchJson) {
    const url = new URL(address)
    url.pathname = url.pathname.replace('/resource/', '/api/views/')
    const view = fieldsOf(await fetchJson({ url, redirectHosts }), [
      'columns',
      'rowsUpdatedAt',
      'license',
    ])
    const { columns, rowsUpdatedAt: changed, license } = view
    return {
      columns: namesIn(columns, 'fieldName'),
      changed,
      license: fieldsOf(license, ['name']).name,
    }
  },
}
