import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { closeEndedLots } from '../../src/infra/ingestion/closings.ts'
import { hoursFromNow, ingestionFor, liveRow, liveRows } from '../support/ingestion/ingestion.ts'
import { NOW } from '../support/ingestion/ingestionClock.ts'

const ingestion = ingestionFor('each test')

/** Texts of what listings are written with, and of much that they are not. */
const texts = fc.string({
  unit: fc.oneof(
    fc.constantFrom(...'aZ09 .,-/\'"&<>\t\n()éü“”–…•°½²µ\u00a0\u200b٣漢🚚'),
    fc.string({ unit: 'grapheme', minLength: 1, maxLength: 1 }),
  ),
  maxLength: 120,
})

/** The lots whose stored words are not those of their title and description. */
async function untrueLots(): Promise<string[]> {
  const rows = await ingestion.sql<{ source_id: string }[]>`
    select source_id
    from lots
    where search is distinct from case when is_open then
      setweight(to_tsvector('english', searchable(title)), 'A')
      || setweight(to_tsvector('english', searchable(category || ' ' || concat_ws(' ', vehicle_make, vehicle_model, item))
        || ' ' || replace(coalesce(item, ''), '-', '')), 'B')
      || setweight(to_tsvector('english', searchable(coalesce(describing, ''))), 'C')
      || setweight(to_tsvector('english', searchable(coalesce(city, '') || ' ' || coalesce(state, ''))), 'D')
      || setweight(to_tsvector('english', regexp_replace(source_id, '[^[:alnum:]]+', '', 'g')), 'D')
    end`
  return rows.map(row => row.source_id)
}

async function found(words: string): Promise<string[]> {
  const rows = await ingestion.sql<{ source_id: string }[]>`
    select source_id from lots where search @@ websearch_to_tsquery('english', ${words}) order by source_id`
  return rows.map(row => row.source_id)
}

describe('the words that a lot is found by', () => {
  it('are those of its title and description, whatever these are written with', async () => {
    const written = fc.sample(fc.tuple(texts, texts), { numRuns: 600, seed: 11 })
    const rows = written.map(([title, description], n) =>
      liveRow(`lot-${n}`, { title: `x${title.toWellFormed().replaceAll('\0', '')}`, description }),
    )
    const { rows_taken } = await ingestion.load(rows)
    expect(rows_taken).toBeGreaterThan(500)
    expect(await untrueLots()).toEqual([])
  })

  it('follow a title or description that changes, stay with a bid that moves, and go when the lot closes', async () => {
    const rows = liveRows(4, { description: 'with a blue plow' })
    await ingestion.load(rows)
    await ingestion.load([
      { ...rows[0], title: 'Walnut bench' },
      { ...rows[1], description: 'with a Cummins6BT' },
      { ...rows[2], current_bid_cents: 99_900 },
      { ...rows[3], end_date: hoursFromNow(-1) },
    ])
    expect(await untrueLots()).toEqual([])
    expect(await found('"walnut bench" plow')).toEqual(['lot-1'])
    expect(await found('"cummins 6 bt"')).toEqual(['lot-2'])
    expect(await found('desk plow')).toEqual(['lot-3'])
  })

  it('come back with a closed lot that is open again', async () => {
    await ingestion.load([liveRow('one', { end_date: hoursFromNow(1) })], { partial: true })
    await closeEndedLots(ingestion.sql, new Date(NOW.getTime() + 2 * 3_600_000))
    expect(await found('desk')).toEqual([])
    await ingestion.load([liveRow('one', { end_date: hoursFromNow(72) })], { partial: true })
    expect(await found('desk')).toEqual(['one'])
  })

  it('are kept by the database when another program writes the lot', async () => {
    await ingestion.load(liveRows(2))
    await ingestion.sql`update lots set title = 'Oak cabinet' where source_id = 'lot-1'`
    await ingestion.sql`
      insert into lots (source, source_id, slug, title, category, source_url, is_open, observed_at)
      values ('gsa', 'three', 'three', 'Pine chest', 'other', 'https://www.gsaauctions.gov/3', true, now())`
    expect(await untrueLots()).toEqual([])
    await ingestion.sql`update lots set is_open = false where source_id = 'three'`
    expect(await found('cabinet')).toEqual(['lot-1'])
    expect(await found('pine')).toEqual([])
  })
})
