import { describe, expect, it } from 'vitest'
import { LOT_COLUMNS } from '../../../src/domain/feeds/lotRow.ts'
import { uncomparedBy } from '../../support/database/comparedColumns.ts'
import { ingestionFor } from '../../support/ingestion/ingestion.ts'

/** What a lot is known by, where it was found, and what follows from a compared column or is no part of the offer. */
const NO_DETAILS = [
  'source',
  'source_id',
  'slug',
  'describing',
  'is_piece',
  'latitude',
  'longitude',
  'price_basis',
  'sold_at',
  'auction_name',
]

describe('the log of changes', () => {
  const ingestion = ingestionFor('each test')

  it('compares every column that a load fills, but for those that are no detail', async () => {
    const silent = await uncomparedBy(ingestion.sql, 'log_changed_lots', LOT_COLUMNS)
    expect(silent.toSorted(), 'compare the others in log_changed_lots, by a new migration').toEqual(
      NO_DETAILS.toSorted(),
    )
  })
})
