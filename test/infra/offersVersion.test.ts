import { expect, it } from 'vitest'
import { TABLE_COLUMNS } from '../../src/infra/searchIndex/readTable.ts'
import { uncomparedBy } from '../support/database/comparedColumns.ts'
import { freshDatabase } from '../support/database/database.ts'
import { insertLots } from '../support/lots/fixtures.ts'
import { shared } from '../support/run/shared.ts'

const database = shared(freshDatabase)

it('the version of offers, by which the search index is rebuilt, counts a lot that only gains its auction', async () => {
  const { sql } = database
  await insertLots(sql, [{ slug: 'truck', ends_at: new Date(Date.now() + 86_400_000) }])
  const offers = async () => (await sql`select offers from data_version`)[0]!.offers
  const before = await offers()
  await sql`update lots set auction_id = 'gsa-27-006', auction_name = '27-006', reading = 2`
  expect(await offers()).not.toEqual(before)
  const after = await offers()
  await sql`update lots set auction_id = 'gsa-27-006', auction_name = '27-006', reading = 2`
  expect(await offers()).toEqual(after)
})

it('every column of a lot that memory reads is compared by the trigger that outdates memory', async () => {
  const { strings } = TABLE_COLUMNS as unknown as { strings: string[] }
  const columns = [...strings.join(' ').matchAll(/\bl\.(\w+)/g)].map(([, column]) => column!)
  expect(columns).toContain('vehicle_make')
  expect(await uncomparedBy(database.sql, 'change_data_version_if_any', columns)).toEqual(['id'])
})
