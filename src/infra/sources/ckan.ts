import { writtenValue } from '../../contract/text.ts'
import type { Cells } from '../../domain/feeds/badRow.ts'
import { fieldsOf } from '../../domain/feeds/cells.ts'
import { columnsOf, whereOf } from '../../domain/feeds/feedEntry.ts'
import { FetchFailure } from '../fetching/jsonBody.ts'
import type { FetchJson } from '../fetching/politeFetch.ts'
import { addressWith, type SourceAddress } from './officialSource.ts'
import { namesIn, type Portal } from './portal.ts'

const PAGE = 1000
const HINT = ' Check the address, the columns, where and order.'

/**
 * CKAN: a table of its DataStore
 * (https://docs.ckan.org/en/latest/maintaining/datastore.html). `where` is its
 * `filters`.
 */
export const ckan: Portal = {
  async *records(feed, from, fetchJson) {
    const filters: Record<string, string> = feed.where
      ? { filters: whereOf(feed) }
      : {}
    const asked = {
      ...filters,
      fields: columnsOf(feed).join(),
      sort: feed.order!,
      limit: String(PAGE),
    }
    for (let offset = 0, all = 1; offset < all; ) {
      const page = { ...asked, offset: String(offset) }
      const { records, total } = await act(from, fetchJson, page)
      if (!Array.isArray(records) || !Number.isInteger(total))
        throw new FetchFailure(
          `The answer for ${feed.name} has no records with their total.${HINT}`,
        )
      all = Number(total)
      if (records.length === 0 && offset < all)
        throw new FetchFailure(
          `${feed.name} has ${all} rows and sent ${offset}.`,
        )
      yield records
      offset += records.length
    }
  },
  cellsOf: (feed, record) => fieldsOf(record, columnsOf(feed)),
  recordOf: cells => cells,
  answerOf: records => ({
    success: true,
    result: { records, total: records.length },
  }),
  async facts(from, fetchJson) {
    const show = (action: string, id: unknown) =>
      act(from, fetchJson, { id: writtenValue(id) }, action)
    const { fields } = await act(from, fetchJson, { limit: '0' })
    const table = await show(
      'resource_show',
      new URL(from.address).searchParams.get('resource_id'),
    )
    const dataset = await show('package_show', table.package_id)
    const changed =
      table.last_modified ??
      table.metadata_modified ??
      dataset.metadata_modified
    return {
      columns: namesIn(fields, 'id'),
      changed,
      license: dataset.license_title,
    }
  },
}

const RESULT =
  'records total fields last_modified metadata_modified package_id license_title'.split(
    ' ',
  )

/**
 * What an action of CKAN returns; each field is null where that action has
 * none.
 */
async function act(
  { address, redirectHosts }: SourceAddress,
  fetchJson: FetchJson,
  parameters: Record<string, string>,
  action = 'datastore_search',
): Promise<Cells> {
  const url = addressWith(address, parameters)
  url.pathname = url.pathname.replace('datastore_search', action)
  return fieldsOf(
    fieldsOf(await fetchJson({ url, redirectHosts }), ['result']).result,
    RESULT,
  )
}
