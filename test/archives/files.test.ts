import { readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { archiveColumns } from '../../src/contract/archiveColumns.ts'
import { readManifest } from '../../src/infra/archives/manifest.ts'
import { createFolderStore } from '../../src/infra/archives/store.ts'
import { writeArchives } from '../../src/usecases/writeArchives.ts'
import {
  archiveSettings,
  insertOctober,
  OCTOBER,
  startArchiveWorld,
} from '../support/archives/archiveWorld.ts'
import { contract } from '../support/contract/contract.ts'
import { insertSales } from '../support/lots/fixtures.ts'
import { runSurplusHere } from '../support/run/commandLine.ts'
import { shared } from '../support/run/shared.ts'
import { PEPPER, PUBLIC_URL } from '../support/service/testSettings.ts'

const world = shared(startArchiveWorld)
let duck: Awaited<ReturnType<DuckDBInstance['connect']>>
beforeAll(async () => {
  await insertOctober(world.sql)
  await world.write()
  duck = await (await DuckDBInstance.create()).connect()
})
afterAll(() => duck.closeSync())

/** A query over the file of a table, as DuckDB sees its format: `{file}` stands for it. */
async function ask(query: string, table: string, format: string, month = '2026-10') {
  const files = await readManifest(world.store, table === 'aggregates' ? 'aggregates' : 'v1')
  const file = files.find(
    each => each.table === table && each.format === format && each.month === month,
  )!
  const path = join(world.folder, file.path)
  const read = { parquet: 'read_parquet', jsonl: 'read_json', csv: 'read_csv' }[format]
  // Otherwise DuckDB adds the month of the path as a column.
  const from = `${read}('${path}', hive_partitioning = false)`
  const reader = await duck.runAndReadAll(query.replace('{file}', from))
  return reader.getRowObjectsJson()
}

const FORMATS = ['parquet', 'jsonl', 'csv']

/** What DuckDB and PostgreSQL both say of a table: counts, sums to the cent, and bounds. */
const SUMS = {
  sales: `
    select
      count(*)::text as rows, sum(price_cents)::text as cents, sum(num_bids)::text as bids, count(city)::text as cities,
      count(distinct id)::text as ids, min(price_cents)::text as lowest, max(price_cents)::text as highest`,
  lots: `
    select
      count(*)::text as rows, sum(current_bid_cents)::text as cents, count(buy_now_cents)::text as offers,
      count(distinct id)::text as ids, count(nullif(appraised, false))::text as appraised`,
  changes: `
    select
      count(*)::text as rows, sum(current_bid_cents)::text as cents, sum(num_bids)::text as bids,
      count(distinct listing_id)::text as ids, count(nullif(fell, false))::text as fell`,
}
const OCTOBER_OF = {
  sales: `(
    select id, final_bid_cents as price_cents, num_bids, city
    from lots
    where source = 'gsa' and sold_at >= '2026-10-01Z' and sold_at < '2026-11-01Z'
  ) as own`,
  lots: `(
    select *, value_grade is not null as appraised
    from lots
    where source = 'gsa' and ends_at >= '2026-10-01Z' and ends_at < '2026-11-01Z'
  ) as own`,
  changes: `(
    select c.*, c.lot_id as listing_id
    from lot_changes c
    join lots l on l.id = c.lot_id
    where l.source = 'gsa' and c.observed_at >= '2026-10-01Z' and c.observed_at < '2026-11-01Z'
  ) as own`,
}

describe('the archive of a month', () => {
  it.each(Object.keys(SUMS).flatMap(table => FORMATS.map(format => [table, format] as const)))(
    'has the %s of SQL in its %s, to the cent, as DuckDB reads it',
    async (name, format) => {
      const table = name as keyof typeof SUMS
      const expected = await world.sql.unsafe(`${SUMS[table]} from ${OCTOBER_OF[table]}`)
      expect(await ask(`${SUMS[table]} from {file}`, table, format)).toEqual([...expected])
      expect(Number(expected[0]!.rows)).toBeGreaterThan(1)
    },
  )

  it.each(FORMATS)(
    'has the columns of the contract and every text unchanged, in its %s',
    async format => {
      const columns = archiveColumns(contract, 'sales').map(({ name }) => name)
      const described = await ask('describe select * from {file}', 'sales', format)
      expect(described.map(row => row.column_name)).toEqual(columns)
      const sold = await ask('select title from {file} order by price_cents', 'sales', format)
      const rows = await world.sql<{ title: string }[]>`
      select title from lots
      where source = 'gsa' and sold_at >= '2026-10-01Z' and sold_at < '2026-11-01Z'
      order by final_bid_cents`
      // The CSV keeps a spreadsheet from running a title, as the export does.
      const guarded = (title: string) => (format === 'csv' ? title.replace(/^=/, "'=") : title)
      expect(sold.map(row => row.title)).toEqual(rows.map(({ title }) => guarded(title)))
    },
  )

  it('has the conditions of bidding as a list, and in its CSV as one cell', async () => {
    const conditions = async (format: string, list: string) => {
      const rows = await ask(
        `select ${list} as text, count(*)::integer as lots from {file} group by 1`,
        'lots',
        format,
      )
      return rows.toSorted((one, other) => Number(other.lots) - Number(one.lots))
    }
    const text = 'sealed_bid;inspection_required'
    const others = { lots: expect.any(Number) }
    const joined = "array_to_string(bid_conditions, ';')"
    expect(await conditions('parquet', joined)).toEqual([
      { text: '', ...others },
      { text, lots: 1 },
    ])
    expect(await conditions('jsonl', joined)).toEqual([
      { text: '', ...others },
      { text, lots: 1 },
    ])
    expect(await conditions('csv', 'bid_conditions')).toEqual([
      { text: null, ...others },
      { text, lots: 1 },
    ])
  })

  it('has moments as timestamps, amounts as 64-bit integers and flags as booleans in its Parquet', async () => {
    const types = await ask('describe select * from {file}', 'lots', 'parquet')
    const typeOf = Object.fromEntries(types.map(row => [row.column_name, row.column_type]))
    expect(typeOf).toMatchObject({
      id: 'VARCHAR',
      current_bid_cents: 'BIGINT',
      num_bids: 'INTEGER',
      end_date: expect.stringMatching(/^TIMESTAMP/),
      appraised: 'BOOLEAN',
      distance_miles: 'DOUBLE',
    })
    const [last] = await ask(
      "select (max(end_date) = timestamptz '2026-10-31 23:59:59Z')::text as is_last from {file}",
      'lots',
      'parquet',
    )
    expect(last).toEqual({ is_last: 'true' })
  })

  it('has no row of a source that may not leave, in no file', async () => {
    const files = await readdir(world.folder, { recursive: true })
    for (const table of ['sales', 'lots'])
      expect(await ask('select distinct source from {file}', table, 'jsonl')).toEqual([
        { source: 'gsa' },
      ])
    const [{ id }] = await world.sql<
      [{ id: string }]
    >`select id from lots where slug = 'of-a-partner'`
    expect(
      await ask(`select * from {file} where listing_id = '${id}'`, 'changes', 'jsonl'),
    ).toEqual([])
    expect(files.length).toBeGreaterThan(9)
  })

  it('is listed with the bytes and checksums of its files, and no month that ended less than two days ago', async () => {
    const files = await world.sound()
    expect(files.map(({ month, table, format }) => `${month} ${table} ${format}`).sort()).toEqual(
      Object.keys(SUMS)
        .flatMap(table => FORMATS.map(format => `2026-10 ${table} ${format}`))
        .sort(),
    )
  })

  it('is the same twice, byte by byte, and a month that is published is not written again', async () => {
    const before = await world.sound()
    const left = join(world.folder, 'v1/csv/sales/month=2026-10')
    for (const name of ['part-0000.00000000.csv.gz', 'notes.txt'])
      await writeFile(join(left, name), 'left')
    expect(await world.write()).toEqual([])
    const names = await readdir(left)
    expect(names, 'no part that no manifest names').toHaveLength(2)
    expect(names, 'what is not ours').toContain('notes.txt')
    expect(await world.write('2026-10')).toEqual(['2026-10'])
    expect(await world.sound()).toEqual(before)
  })

  it('replaces its files when it is written again over other rows', async () => {
    await insertSales(world.sql, [{ title: 'Late', final_bid_cents: 5, sold_at: OCTOBER }])
    const before = await readManifest(world.store, 'v1')
    await world.write('2026-10')
    const after = await readManifest(world.store, 'v1')
    const [one, other] = [before, after].map(files => files.find(({ table }) => table === 'sales')!)
    expect(other!.rows).toBe(one!.rows + 1)
    expect(other!.path).not.toBe(one!.path)
    const stored = await readdir(world.folder, { recursive: true, withFileTypes: true })
    expect(stored.filter(entry => entry.isFile() && entry.name.startsWith('part-'))).toHaveLength(9)
  })

  it('keeps the changes of a month in the log until they are published, and their files once it has dropped them', async () => {
    const store = createFolderStore(join(world.folder, 'second'), PEPPER, PUBLIC_URL)
    const reports: string[] = []
    const later = archiveSettings(
      store,
      report => reports.push(report),
      new Date('2027-03-10T00:00:00Z'),
    )
    const logged = () => world.sql`select from lot_changes where observed_at < '2026-11-01Z'`
    const changes = async () =>
      (await readManifest(store, 'v1')).filter(
        file => file.month === '2026-10' && file.table === 'changes',
      )
    await writeArchives(world.sql, later, '2026-11')
    expect((await logged()).length).toBeGreaterThan(1)
    await writeArchives(world.sql, later, null)
    expect(await logged()).toEqual([])
    const published = await changes()
    expect(published).toHaveLength(3)
    await writeArchives(world.sql, later, '2026-10')
    expect(await changes()).toEqual(published)
    expect(reports).toContain(
      'The log no longer has all changes of 2026-10: their published files stay.',
    )
  })
})

describe('the open aggregates', () => {
  it.each(['parquet', 'csv'])(
    'are those of SQL in their %s, groups of few sales left out',
    async format => {
      const [expected] = await world.sql`
      select count(*)::text as groups, sum(n)::text as sales, sum(median)::text as medians,
        sum(real_n)::text as real_sales, sum(real_median)::text as real_medians, count(real_median)::text as real_groups
      from (
        select count(*) as n, round((percentile_cont(0.5) within group (order by final_bid_cents))::numeric)::bigint as median,
          count(*) filter (where price_basis <> 'last_observed') as real_n,
          case when count(*) filter (where price_basis <> 'last_observed') >= 5 then round((
            percentile_cont(0.5) within group (order by final_bid_cents) filter (where price_basis <> 'last_observed')
          )::numeric)::bigint end as real_median
        from lots
        where source = 'gsa' and sold_at < '2026-11-01Z' and state is not null
        group by to_char(sold_at at time zone 'utc', 'YYYY-MM'), category, state
        having count(*) >= 5
      ) as groups`
      const query = `select count(*)::text as groups, sum(sales)::text as sales, sum(median_cents)::text as medians,
        sum(real_sales)::text as real_sales, sum(real_median_cents)::text as real_medians,
        count(real_median_cents)::text as real_groups from {file}`
      expect(await ask(query, 'aggregates', format)).toEqual([expected])
      expect(Number(expected!.groups)).toBe(4)
    },
  )
})

it.each(['2026-13', 'october', '2999-01'])('the command refuses the month %s', async month => {
  const env = { DATABASE_URL: world.databaseUrl, KEY_PEPPER: PEPPER, ARCHIVE_DIR: world.folder }
  const { code, stderr } = await runSurplusHere(['archive', '--month', month], env)
  expect([code, stderr]).toEqual([
    2,
    expect.stringContaining('a month that has ended, such as 2026-10'),
  ])
})
