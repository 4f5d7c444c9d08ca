import { describe, expect, it } from 'vitest'
import { LOT_COLUMNS } from '../../../src/domain/feeds/lotRow.ts'
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
    const [log] = await ingestion.sql<{ body: string }[]>`
      select prosrc as body
      from pg_proc
      where proname = 'log_changed_lots'`
    const isCompared = (column: string) =>
      ['before', 'after'].every(row => new RegExp(`\\b${row}\\.${column}\\b`).test(log!.body))
    const silent = LOT_COLUMNS.filter(column => !isCompared(column))
    expect(silent.toSorted(), 'compare the others in log_changed_lots, by a new migration').toEqual(
      NO_DETAILS.toSorted(),
    )
  })
})
