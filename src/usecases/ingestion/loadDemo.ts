import { demoLots } from '../../demo/demoLots.ts'
import { holdsLots } from '../../infra/ingestion/loads.ts'
import type { Sql } from '../../infra/postgres/database.ts'
import { ingestLots } from './ingestLots.ts'
import type { LoadResult } from './loadResult.ts'

interface DemoSettings {
  lots: number
  sales: number
  seed: number
  /** Do nothing when there is a lot already. */
  ifEmpty: boolean
  now: Date
  onProgress(message: string): void
}

const HOUR_MS = 3_600_000

/**
 * Loads generated lots and sales, the same for the same seed and hour, the way a feed is loaded.
 * @returns null when it was told to leave a database with lots alone, and it is one.
 */
export async function loadDemo(
  sql: Sql,
  { lots, sales, seed, ifEmpty, now, onProgress }: DemoSettings,
): Promise<LoadResult | null> {
  if (ifEmpty && (await holdsLots(sql))) return null
  const asOf = new Date(Math.floor(now.getTime() / HOUR_MS) * HOUR_MS)
  onProgress(`Making ${lots.toLocaleString('en-US')} live lots and ${sales.toLocaleString('en-US')} sales.`)
  return ingestLots(sql, {
    feed: 'demo',
    lots: demoLots({ lots, sales, seed, asOf }),
    partial: true,
    now,
    onProgress,
  })
}
