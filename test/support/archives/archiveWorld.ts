import { createHash } from 'node:crypto'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'vitest'
import { type ArchivedFile, readManifest } from '../../../src/infra/archives/manifest.ts'
import { type ArchiveStore, createFolderStore } from '../../../src/infra/archives/store.ts'
import type { Sql } from '../../../src/infra/postgres/database.ts'
import { type ArchiveSettings, writeArchives } from '../../../src/usecases/writeArchives.ts'
import { contract } from '../contract/contract.ts'
import { freshDatabase } from '../database/database.ts'
import { insertLots, insertSales, type LotDraft, NOW, type SaleDraft } from '../lots/fixtures.ts'
import { observeAt } from '../lots/observations.ts'
import { PEPPER, PUBLIC_URL } from '../service/testSettings.ts'

export const OCTOBER = new Date('2026-10-14T12:00:00Z')
/** The last second of October and the first of November, in UTC. */
const EDGES = [new Date('2026-10-31T23:59:59Z'), new Date('2026-11-01T00:00:00Z')] as const

export interface ArchiveWorld {
  sql: Sql
  databaseUrl: string
  folder: string
  store: ArchiveStore
  /** What the writer reported. */
  reports: string[]
  write(month?: string | null, store?: ArchiveStore): Promise<string[] | null>
  /** The published months, whose files are all there and have the bytes that the manifest says. */
  sound(): Promise<ArchivedFile[]>
  close(): Promise<void>
}

/**
 * A database with lots, sales and changes in October and at the turn of the month, and an empty
 * folder for archives.
 */
export async function startArchiveWorld(): Promise<ArchiveWorld> {
  const database = await freshDatabase()
  const { sql } = database
  const folder = await mkdtemp(join(tmpdir(), 'surplus-archives-'))
  const store = createFolderStore(folder, PEPPER, PUBLIC_URL)
  const reports: string[] = []
  return {
    sql,
    databaseUrl: database.url,
    folder,
    store,
    reports,
    write: (month = null, into = store) =>
      writeArchives(
        sql,
        archiveSettings(into, report => reports.push(report)),
        month,
      ),
    sound: async () => {
      const files = await readManifest(store, 'v1')
      for (const { path, bytes, sha256 } of files) {
        const content = await readFile(join(folder, path))
        expect([path, content.length, sha256Of(content)]).toEqual([path, bytes, sha256])
      }
      return files
    },
    close: async () => {
      await database.drop()
      await rm(folder, { recursive: true })
    },
  }
}

export function sha256Of(content: Uint8Array): string {
  return createHash('sha256').update(content).digest('hex')
}

/** What the archives are written with. */
export function archiveSettings(
  store: ArchiveStore,
  onWritten = (_: string): unknown => null,
  now = NOW,
): ArchiveSettings {
  return { store, contract, publicUrl: PUBLIC_URL, now, onWritten }
}

/** Texts that formats and spreadsheets are known to break. */
const HARD_TITLES = ['Comma, "quote"', 'Line\nbreak', '=1+1', 'ünïcödé 卡车 🚚', "it's; | \\ %"]

/**
 * Sales of October in several states and categories, at the turn of the month, twice listed, and of
 * a source that may not leave.
 */
export async function insertOctober(sql: Sql): Promise<void> {
  const sales: SaleDraft[] = Array.from({ length: 40 }, (_, n) => ({
    title: n < HARD_TITLES.length ? HARD_TITLES[n]! : `Lot number ${n}`,
    category: n % 2 ? 'vehicles' : 'electronics',
    state: n % 3 ? 'IL' : 'TX',
    city: n % 4 ? 'Chicago' : null,
    num_bids: n,
    final_bid_cents: 1 + n * 7919,
    sold_at: new Date(OCTOBER.getTime() + (n % 7) * 3_600_000),
  }))
  await observeAt(sql, OCTOBER)
  await insertSales(sql, [
    ...sales,
    { title: 'Last second', final_bid_cents: 9_007_199_254_740, sold_at: EDGES[0] },
    { title: 'First second', final_bid_cents: 100, sold_at: EDGES[1] },
    { title: 'Of a partner', source: 'govdeals', final_bid_cents: 100, sold_at: OCTOBER },
  ])
  const open: LotDraft[] = [
    {
      slug: 'conditions',
      ends_at: OCTOBER,
      is_open: false,
      bid_conditions: ['sealed_bid', 'inspection_required'],
    },
    {
      slug: 'seen',
      ends_at: new Date('2026-12-24T00:00:00Z'),
      current_bid_cents: 100,
      num_bids: 1,
    },
    { slug: 'endless', ends_at: 'infinity' },
    { slug: 'of-a-partner', source: 'govdeals', ends_at: new Date('2026-12-24T00:00:00Z') },
  ]
  await insertLots(sql, open)
  await sql`update lots set current_bid_cents = 250, num_bids = 2 where slug in ('seen', 'of-a-partner')`
  await observeAt(sql, NOW)
  await sql`update lots set current_bid_cents = 300, num_bids = 3 where slug = 'seen'`
}
