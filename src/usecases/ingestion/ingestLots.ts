import type { LotRow } from '../../domain/feeds/lotRow.ts'
import type { StagedRow } from '../../infra/ingestion/stagedRows.ts'
import type { Sql } from '../../infra/postgres/database.ts'
import type { LoadResult, LoadSettings } from './loadResult.ts'
import { loadRows } from './loadRows.ts'
import { stageLot } from './stageLot.ts'

const CHUNK = 1000

/** Loads lots that are checked already, as `ingestFile` loads a file; `feed` names them in the ledger. */
export async function ingestLots(
  sql: Sql,
  { feed, lots, ...settings }: LoadSettings & { feed: string; lots: Iterable<LotRow> },
): Promise<LoadResult> {
  return loadRows(sql, { ...settings, feed, file: null, rows: rowsOf() })

  async function* rowsOf(): AsyncGenerator<StagedRow[]> {
    let line = 0
    let chunk: StagedRow[] = []
    for (const lot of lots) {
      line += 1
      chunk.push({ line, ...stageLot(lot, settings.now) })
      if (chunk.length === CHUNK) {
        yield chunk
        chunk = []
      }
    }
    yield chunk
  }
}
