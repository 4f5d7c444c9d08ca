import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { beforeAll, describe, expect, it } from 'vitest'
import { readManifest } from '../../src/infra/archives/manifest.ts'
import { onCopyIfNew } from '../../src/infra/archives/onCopyIfNew.ts'
import { createFolderStore } from '../../src/infra/archives/store.ts'
import { writeArchives } from '../../src/usecases/writeArchives.ts'
import { insertAccount, insertSearches } from '../support/alerts/savedSearches.ts'
import { archiveSettings, OCTOBER } from '../support/archives/archiveWorld.ts'
import { freshDatabase } from '../support/database/database.ts'
import { insertLots, insertSales } from '../support/lots/fixtures.ts'
import { shared, temporaryFolder } from '../support/run/shared.ts'
import { PEPPER, PUBLIC_URL } from '../support/service/testSettings.ts'

const BEHIND = 'DATABASE_READ_URL does not answer or is behind: the rows are read from the primary.'

// Another database instead of a replica: the titles show which of them was read.
const primary = shared(freshDatabase)
const copy = shared(freshDatabase)
const folder = temporaryFolder()
let accountId: number

beforeAll(async () => {
  for (const [{ sql }, title] of [
    [primary, 'Of the primary'],
    [copy, 'Of the copy'],
  ] as const) {
    await insertSales(sql, [{ title, sold_at: OCTOBER, final_bid_cents: 100_00 }])
    await insertLots(sql, [{ title, slug: 'live' }])
  }
  accountId = await insertAccount(primary.sql)
  await insertSearches(primary.sql, [{ account_id: accountId, by_file: true }])
})

/**
 * Writes October anew, with the versions that both have.
 * @returns the titles of its sales, those of the daily file, and the reports.
 */
async function write(versions: { primary: number; copy: number }, url = copy.url) {
  await primary.sql`update data_version set version = ${versions.primary}`
  await copy.sql`update data_version set version = ${versions.copy}`
  const reports: string[] = []
  const store = createFolderStore(folder, PEPPER, PUBLIC_URL)
  const settings = archiveSettings(store)
  await onCopyIfNew(
    url,
    primary.sql,
    what => reports.push(what),
    rows => writeArchives(primary.sql, { ...settings, rows }, '2026-10'),
  )
  const titlesOf = async (place: string, table: string) => {
    const files = await readManifest(store, place)
    const file = files.find(({ path }) => path.includes(table) && path.endsWith('.jsonl.gz'))!
    const lines = gunzipSync(await readFile(join(folder, file.path)))
      .toString()
      .trim()
    return lines.split('\n').map(line => JSON.parse(line).title)
  }
  return {
    sales: await titlesOf('v1', '/sales/'),
    daily: await titlesOf(`feeds/${accountId}`, '/'),
    reports,
  }
}

describe('archives with DATABASE_READ_URL', () => {
  it('are read from a copy that has all that the primary has; the daily files of an account never are', async () => {
    expect(await write({ primary: 7, copy: 7 })).toEqual({
      sales: ['Of the copy'],
      daily: ['Of the primary'],
      reports: [],
    })
  })

  it('are read from the primary where the copy lacks a change, and where it does not answer', async () => {
    const fromPrimary = { sales: ['Of the primary'], daily: ['Of the primary'], reports: [BEHIND] }
    expect(await write({ primary: 8, copy: 7 })).toEqual(fromPrimary)
    expect(await write({ primary: 8, copy: 8 })).toMatchObject({ sales: ['Of the copy'] })
    const nowhere = 'postgres://nobody@127.0.0.1:1/nothing'
    expect(await write({ primary: 8, copy: 8 }, nowhere)).toEqual(fromPrimary)
  })

  it('are read in one transaction, which no timeout of the role ends', async () => {
    const url = `${copy.url}?statement_timeout=60000`
    const seen = await onCopyIfNew(url, primary.sql, String, async sql => {
      const read = async () =>
        (await sql`select title from lots where source_id = 'live'`)[0]!.title
      const before = await read()
      await copy.sql`update lots set title = 'Changed meanwhile' where source_id = 'live'`
      const [{ statement_timeout }] = (await sql`show statement_timeout`) as unknown as [
        { statement_timeout: string },
      ]
      return [before, await read(), statement_timeout]
    })
    expect(seen).toEqual(['Of the copy', 'Of the copy', '0'])
  })
})
