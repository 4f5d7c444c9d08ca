import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Schemas } from '../../../src/contract/types.ts'
import { ingestFile } from '../../../src/usecases/ingestion/ingestFile.ts'
import type { LoadResult } from '../../../src/usecases/ingestion/performLoad.ts'
import { outdateAnswers } from '../database/database.ts'
import { start, type TestService } from '../service/start.ts'
import { type FeedCells, hoursFromNow, ndjson, pageAt } from './ingestion.ts'
import { NOW } from './ingestionClock.ts'

/** A sale of Friday afternoon in Austin, as a source with an exact price tells it. */
export function saleOn(source: string, changes: FeedCells = {}): FeedCells {
  return {
    source,
    source_id: '1',
    title: '2014 Ford F-150 XL pickup',
    category: 'vehicles',
    state: 'TX',
    city: 'Austin',
    zip: '78701',
    end_date: hoursFromNow(-15),
    source_url: pageAt(changes.source ?? source, '/lots/1'),
    outcome: 'sold',
    final_bid_cents: 500_000,
    ...changes,
  }
}

/** A lot as `saleOn`, open for two more hours. */
export function openLotOn(source: string, changes: FeedCells = {}): FeedCells {
  return saleOn(source, {
    outcome: null,
    final_bid_cents: null,
    current_bid_cents: 310_000,
    end_date: hoursFromNow(2),
    ...changes,
  })
}

/** The service on a database of its own that feeds are loaded into. */
export interface ListedTwice {
  api: TestService
  /** Leaves scores for later, unless a test asks. */
  load(rows: FeedCells[], settings?: { now?: Date; scoreLater?: boolean }): Promise<LoadResult>
  /** The statistics of all vehicles; null when no sale is known. */
  comps(query?: string): Promise<Schemas['Comps'] | null>
  /** Which lot each lot is a duplicate of, as source and id. */
  groups(): Promise<Record<string, string>>
  /** Removes all lots, and sets the clock back. */
  empty(): Promise<void>
  close(): Promise<void>
}

export async function startListedTwice(): Promise<ListedTwice> {
  const api = await start()
  api.clock.now = NOW
  const folder = mkdtempSync(join(tmpdir(), 'surplus-twice-'))
  const file = join(folder, 'feed.ndjson')
  return {
    api,
    load: (rows, { now = NOW, scoreLater = true } = {}) => {
      writeFileSync(file, ndjson(rows))
      return ingestFile(api.sql, { feed: 'feed', file, partial: true, now, scoreLater })
    },
    comps: async (query = 'category=vehicles') => {
      const { status, body } = await api.get(`/api/v1/comps?${query}`)
      return status === 404 ? null : body.data
    },
    groups: async () => {
      const rows = await api.sql<{ lot: string; counting: string }[]>`
        select l.source || ' ' || l.source_id as lot, c.source || ' ' || c.source_id as counting
        from lots l
        join lots c on c.id = l.duplicate_of
        order by l.id`
      return Object.fromEntries(rows.map(({ lot, counting }) => [lot, counting]))
    },
    empty: async () => {
      await api.sql`truncate lots cascade`
      await outdateAnswers(api.sql)
      api.clock.now = NOW
    },
    close: async () => {
      await api.close()
      rmSync(folder, { recursive: true })
    },
  }
}
