import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { projectFile } from '../../../src/contract/projectFile.ts'
import { LOT_COLUMNS } from '../../../src/domain/feeds/lotRow.ts'
import type { Sql } from '../../../src/infra/postgres/database.ts'
import { ingestionFor } from '../../support/ingestion/ingestion.ts'
import { insertLots } from '../../support/lots/fixtures.ts'

/**
 * What a lot is known by, where it was found, and what follows from a compared column or is no part
 * of the offer.
 */
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
  'bids_known',
  'seen_by',
]

/**
 * Those of these columns of a lot that the log of changes does not compare, neither as a detail nor
 * as a kind of its own.
 */
async function uncompared(sql: Sql, columns: readonly string[]): Promise<string[]> {
  const [found] = await sql<{ body: string; details: string }[]>`
    select prosrc as body, pg_get_functiondef('lot_details'::regproc) as details
    from pg_proc
    where proname = 'log_changed_lots'`
  const { body, details } = found!
  expect(body).toContain('lot_details(before::lots) is distinct from lot_details(after::lots)')
  const isDetail = (column: string) => new RegExp(`\\(lot\\)\\.${column}\\b`).test(details)
  const isCompared = (column: string) =>
    ['before', 'after'].every(row => new RegExp(`\\b${row}\\.${column}\\b`).test(body))
  return columns.filter(column => !isDetail(column) && !isCompared(column))
}

describe('the log of changes', () => {
  const ingestion = ingestionFor('each test')

  it('compares every column that a load fills, but for those that are no detail', async () => {
    const silent = await uncompared(ingestion.sql, LOT_COLUMNS)
    expect(silent.toSorted(), 'add the others to lot_details, by a new migration').toEqual(
      NO_DETAILS.toSorted(),
    )
  })

  it('compares a new column after a migration of at most 20 lines, for connected servers too', async () => {
    const { sql } = ingestion
    const logged = async () =>
      (await sql`select kind from lot_changes order by seq`).map(({ kind }) => kind)
    // As often as PostgreSQL needs to keep the plan of the trigger.
    await insertLots(sql, [{ slug: 'truck', ends_at: new Date(Date.now() + 86_400_000) }])
    for (let bids = 1; bids <= 8; bids++) await sql`update lots set num_bids = ${bids}`
    const before = await logged()
    expect(before).toEqual(['listed', ...Array(8).fill('bid')])

    const texts = readdirSync(projectFile('migrations')).map(name =>
      readFileSync(projectFile('migrations', name), 'utf8'),
    )
    const [list] = texts.flatMap(text => text.match(/function lot_details[^;]+;/g) ?? []).slice(-1)
    const migration = `alter table lots add column color text;
create or replace ${list!.replace(/\n\)::text;$/, ',\n  lot.color\n)::text;')}`
    expect(migration.split('\n').length).toBeLessThanOrEqual(20)
    expect(migration).toContain('lot.color')
    await sql.unsafe(migration)
    await sql`update lots set color = 'blue'`
    await sql`update lots set color = 'blue', latitude = 1`
    expect(await logged()).toEqual([...before, 'details'])
  })
})
