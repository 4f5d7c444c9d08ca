import { isCategory } from '../titles/categories.ts'
import { type Cells, mustBe } from './badRow.ts'
import {
  dollarsOrText,
  present,
  textIn,
  wholeId,
  wordIn,
  wordsIn,
} from './cells.ts'
import { feedRow, type LotName } from './feedRow.ts'
import type { LotRow } from './lotRow.ts'

/** The columns of the GovAuctions open dataset (CC BY 4.0), in its order. */
export const OPEN_DATA_COLUMNS = (
  'id,title,category,condition,seller_type,state,city,zip,currency,starting_bid,' +
  'current_or_final_bid,bid_count,buyer_premium_pct,sold,ended_at,source_url'
).split(',')

/**
 * One row of the open dataset as a closed lot. Its bid is the last one seen
 * before the end, so it never becomes more than a `last_observed` price.
 * `condition` ("As-is" throughout), `seller_type` and `buyer_premium_pct` are
 * not kept.
 * @param sourceKeys the tracked sources: an id is one of them, a hyphen and the
 * source's own id.
 * @throws BadRow with the first thing that is wrong.
 */
export function openDataRow(
  cells: Cells,
  sourceKeys: readonly string[],
  zoneOf: (source: string) => string,
): LotRow {
  const sold = present(wordIn(cells, 'sold', ['true', 'false']), 'sold')
  const currency = textIn(cells, 'currency')
  if (currency && currency !== 'USD') throw mustBe('currency', 'USD', currency)
  const category =
    textIn(cells, 'category')
      ?.toLowerCase()
      .replace(/^miscellaneous$/, 'other') ?? ''
  const row = feedRow(
    {
      ...openDataKey(cells, sourceKeys),
      title: cells.title,
      category: isCategory(category) ? category : null,

      state: cells.state,
      city: cells.city,
      zip: cells.zip,
      starting_bid_cents: dollarsOrText(cells, 'starting_bid'),
      current_bid_cents: dollarsOrText(cells, 'current_or_final_bid'),
      num_bids: wordsIn(cells, 'bid_count'),
      end_date: cells.ended_at,
      source_url: cells.source_url,
      outcome: sold === 'true' ? 'sold' : 'unsold',
    },
    zoneOf,
  )
  return { ...row, seen_by: 'open-data' }
}

/**
 * The source and the source's id in `gsa-3-1-QSC-I-27-006-005`; the longest key
 * wins, so that gsa-fleet goes before gsa.
 * @throws BadRow when no tracked source is named.
 */
export function openDataKey(
  cells: Cells,
  sourceKeys: readonly string[],
): LotName {
  const id = present(textIn(cells, 'id', 265), 'id')
  const keys = sourceKeys.filter(
    key => id.startsWith(`${key}-`) && id.length > key.length + 1,
  )
  const source = keys.sort((a, b) => b.length - a.length)[0]
  if (!source)
    throw mustBe('id', 'the key of a tracked source, a hyphen and an id', id)
  return { source, source_id: wholeId(id.slice(source.length + 1)) }
}
