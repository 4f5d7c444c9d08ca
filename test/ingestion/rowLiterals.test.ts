import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { rowLiterals } from '../../src/infra/ingestion/stage.ts'
import { openAdminConnection, type Sql } from '../../src/infra/postgres/database.ts'
import { type FreshDatabase, freshDatabase } from '../support/database/database.ts'

let database: FreshDatabase
let sql: Sql
beforeAll(async () => {
  database = await freshDatabase()
  sql = openAdminConnection(database.url)
  await sql`create type pg_temp.thing as (words text, number float8, truth boolean)`
})
afterAll(async () => {
  await sql.end()
  await database.drop()
})

const words = fc.string({
  unit: fc.oneof(
    fc.constantFrom(...'"\\,(){}\' \t\n\r', 'null', 'NULL', ''),
    fc.string({ unit: 'grapheme', minLength: 1, maxLength: 1 }),
  ),
})
const things = fc.array(
  fc.record({
    words: fc.option(words.map(text => text.toWellFormed().replaceAll('\0', ''))),
    number: fc.option(fc.double({ noNaN: true, noDefaultInfinity: true }).map(number => number + 0)),
    truth: fc.option(fc.boolean()),
  }),
  { maxLength: 8 },
)

describe('rows written as one text', () => {
  it('are read by the database as what they were', async () => {
    await fc.assert(
      fc.asyncProperty(things, async rows => {
        const text = rowLiterals(rows.map(row => [row.words, row.number, row.truth]))
        const read = await sql`select * from unnest(${text}::text::pg_temp.thing[])`
        expect(read.map(row => ({ ...row }))).toEqual(rows)
      }),
      { numRuns: 300 },
    )
  })
})
