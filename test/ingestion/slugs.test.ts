import { describe, expect, it } from 'vitest'
import {
  type FeedCells,
  hoursFromNow,
  ingestionFor,
  liveRow,
  ndjson,
} from '../support/ingestion/ingestion.ts'

/** A little more than one batch of the merge. */
const ROWS = 5200
const SOURCES = ['gsa', 'govdeals', 'hud', 'made-up']
const TOWNS = [
  { state: 'OH', city: 'Dayton', zip: '45402' },
  { state: 'OH', city: 'Dayton', zip: null },
  { state: 'TX', city: 'Austin', zip: '78701' },
]

/**
 * Some rows are listed by several sources, some share a slug, some a vehicle, some come twice, some
 * are bad.
 */
function rowsOf(round: number, length = ROWS): string {
  return ndjson(
    Array.from({ length }, (_, line): FeedCells => {
      const isAlike = line % 22 === 0
      const n = isAlike ? line + 7 : line
      const vehicle =
        n % 17 === 0 ? ` VIN 1FTFW1ET5DFC${String(10_000 + (n % 340) + round).slice(-5)}` : ''
      const id = line % 29 === 0 ? `lot-${line - 29}` : `lot${isAlike ? ' ' : '-'}${n}`
      return liveRow(id, {
        source: SOURCES[(n * 7 + round) % SOURCES.length]!,
        title:
          n % 6 === 0
            ? `Desk ${n % 90} ${round === 1 && n % 5 === 0 ? 'green' : ''}`
            : `Thing ${n}${vehicle}`,
        description: n % 13 === 0 ? `Round ${round}, \\ "with" it (and, {all})` : null,
        ...TOWNS[n % TOWNS.length],
        end_date: hoursFromNow(24 + (n % 3)),
        current_bid_cents: 1000 + n + round * (n % 2),
        ...(line % 401 === 0 ? { state: 'XX' } : {}),
      })
    }),
  )
}

describe('a load of alike lots from several sources', () => {
  const ingestion = ingestionFor('all tests')

  const lotsNow = () =>
    ingestion.sql`select to_jsonb(lots) - 'search' as lot, search::text from lots order by id`

  it('leaves the same slugs and duplicates when it is repeated', async () => {
    await ingestion.load(rowsOf(0, 1_300))
    const { lots_duplicate } = await ingestion.load(rowsOf(1))
    expect(lots_duplicate).toBeGreaterThan(100)
    const lots = await lotsNow()
    const again = await ingestion.load(rowsOf(1))
    expect(again).toMatchObject({ lots_new: 0, lots_changed: 0, lots_duplicate })
    expect(await lotsNow()).toEqual(lots)
  })

  it('gives every lot a slug of its own, the first in the file the plain one', async () => {
    const { sql } = ingestion
    expect(await sql`select slug from lots group by slug having count(*) > 1`).toHaveLength(0)
    const [found] =
      await sql`select count(*) as lots from lots where slug like '%-' || left(id::text, 8)`
    expect(found!.lots).toBeGreaterThan(100)
    await ingestion.load([liveRow('one 1'), liveRow('one-1')], { partial: true })
    await ingestion.load([liveRow('one.1', { title: 'Steel desk one 1' })], { partial: true })
    const slugs =
      await sql`select source_id, slug, left(id::text, 8) as id from lots where source_id like 'one%'`
    const plain = 'steel-desk-one-1-gsa-one-1'
    for (const { source_id, slug, id } of slugs)
      expect(slug).toBe(source_id === 'one 1' ? plain : `${plain}-${id}`)
    expect(slugs).toHaveLength(3)
  })
})
