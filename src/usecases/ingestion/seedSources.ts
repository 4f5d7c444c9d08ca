import { readFile } from 'node:fs/promises'
import { projectFile } from '../../contract/projectFile.ts'
import type { Sql } from '../../infra/database.ts'
import { type SourceDescription, storeSources } from '../../infra/ingestion/sources.ts'

/** Brings the tracked sources of `data/sources.json` into the database. */
export async function seedSources(sql: Sql): Promise<void> {
  await storeSources(
    sql,
    JSON.parse(await readFile(projectFile('data', 'sources.json'), 'utf8')) as SourceDescription[],
  )
}
