import { readFileSync } from 'node:fs'
import { parseFile } from 'fast-csv'
import { beforeAll, describe, expect, it } from 'vitest'
import { type FeedCells, ingestionFor } from '../../support/ingestion/ingestion.ts'
import { ON_REAL_LOTS, REAL_LOTS } from '../../support/run/realLots.ts'

type Row = Record<string, string>

describe('in the real open dataset', ON_REAL_LOTS, () => {
  const ingestion = ingestionFor('all tests')
  let rows: Row[]
  beforeAll(async () => {
    rows = []
    for await (const row of parseFile<Row, Row>(REAL_LOTS!, { headers: true }))
      rows.push(row as Row)
  })
  const saleOf = (row: Row) => row.id!.split('-').slice(1, -1).join('-').toLowerCase()

  /**
   * A row as another source would tell it: its case, its hyphens, the hour of the end, now and then
   * without a ZIP code.
   */
  const retold = (row: Row, n: number): FeedCells => ({
    source: 'elsewhere',
    source_id: `${n}`,
    title: row.title!.toLowerCase().replaceAll('-', ' '),
    category: 'other',
    state: row.state,
    city: row.city!.toLowerCase(),
    zip: n % 3 === 0 ? null : row.zip,
    end_date: `${row.ended_at}T16:00:00-05:00`,
    source_url: `https://elsewhere.example/${n}`,
    outcome: row.sold === 'true' ? 'sold' : 'unsold',
    final_bid_cents:
      row.sold === 'true'
        ? Math.round(Number(row.current_or_final_bid) * [100, 100, 103, 110, 140][n % 5]!)
        : null,
  })

  async function groupsOf(source: string): Promise<{ source_id: string; fellow: string }[]> {
    return ingestion.sql`
      select l.source_id, fellow.source_id as fellow
      from lots l
      join lots fellow on fellow.id <> l.id
        and coalesce(fellow.duplicate_of, fellow.id) = coalesce(l.duplicate_of, l.id)
      where l.source = ${source}
      order by l.source_id`
  }

  it('no lot would be another one if every sales office were a source of its own', async () => {
    const apart = rows.map((row, n) => ({ ...retold(row, n), source: `s-${saleOf(row)}` }))
    const { lots_new, lots_duplicate, new_sources } = await ingestion.load(apart, {
      name: 'apart.ndjson',
    })
    expect(new_sources).toHaveLength(new Set(rows.map(saleOf)).size)
    expect({ lots_new, lots_duplicate }).toEqual({ lots_new: rows.length, lots_duplicate: 0 })
    await ingestion.sql`truncate lots cascade`
  })

  it('every row is taken: as many lots as it has ids, and as many sales as it has sold ones', async () => {
    const result = await ingestion.load(readFileSync(REAL_LOTS!), {
      feed: 'open-data',
      name: 'real.csv',
    })
    expect(result).toMatchObject({ state: 'done', rows_read: rows.length, rows_set_aside: 0 })
    const [counts] =
      await ingestion.sql`select count(*) as lots, (select count(*) from sales) as sales from lots`
    const sold = new Set(rows.filter(row => row.sold === 'true').map(row => row.id))
    expect(counts).toEqual({ lots: new Set(rows.map(row => row.id)).size, sales: sold.size })
  })

  it('gives the same count and sum of prices for every category, state and day', async () => {
    const found = await ingestion.sql<{ key: string; sales: number; cents: number }[]>`
      select
        concat_ws(' ', category, state, to_char(sold_at at time zone 'America/Chicago', 'YYYY-MM-DD')) as key,
        count(*) as sales, sum(final_bid_cents)::bigint as cents
      from sales
      group by 1`
    const expected = new Map<string, (typeof found)[number]>()
    for (const row of rows.filter(({ sold }) => sold === 'true')) {
      const category = row.category === 'miscellaneous' ? 'other' : row.category
      const key = `${category} ${row.state} ${row.ended_at}`
      const { sales, cents } = expected.get(key) ?? { sales: 0, cents: 0 }
      const more = Math.round(Number(row.current_or_final_bid) * 100)
      expected.set(key, { key, sales: sales + 1, cents: cents + more })
    }
    expect(new Map(found.map(sum => [sum.key, sum]))).toEqual(expected)
  })

  it('gives every lot a point', async () => {
    expect(
      await ingestion.sql`select from lots where latitude is null or longitude is null`,
    ).toHaveLength(0)
  })

  it('changes nothing when it is loaded again', async () => {
    const before = await ingestion.everything()
    await ingestion.load(readFileSync(REAL_LOTS!), { feed: 'open-data', name: 'real.csv' })
    expect(await ingestion.everything()).toEqual(before)
  })

  it('no lot is another one of it, though hundreds have the same title, place and day as their neighbour', async () => {
    expect(await ingestion.sql`select from lots where duplicate_of is not null`).toHaveLength(0)
    const alike = await ingestion.sql<{ lots: number }[]>`
      select count(*) as lots
      from lots
      group by title_fingerprint, zip
      having count(*) > 1`
    expect(alike.reduce((sum, { lots }) => sum + lots, 0)).toBeGreaterThan(400)
  })

  it('every lot is found again when another source retells it, and 9 in 10 of them as the very same one', async () => {
    const before = await ingestion.sql`select count(*) as sales from sales`
    await ingestion.load(rows.map(retold), { name: 'retold.ndjson' })
    expect(await ingestion.sql`select count(*) as sales from sales`).toEqual(before)
    const groups = await groupsOf('elsewhere')
    expect(groups).toHaveLength(rows.length)
    const own = groups.filter(
      ({ source_id, fellow }) => rows[Number(source_id)]?.id === `gsa-${fellow}`,
    )
    expect(own.length).toBeGreaterThan(0.9 * rows.length)
  })
})
