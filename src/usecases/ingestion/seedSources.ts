import { readFile } from 'node:fs/promises'
import { projectFile } from '../../contract/projectFile.ts'
import { type SourceDescription, storeSources } from '../../infra/ingestion/sources.ts'
import type { Sql } from '../../infra/postgres/database.ts'
import type { OfficialSource } from '../../infra/sources/officialSource.ts'
import { OFFICIAL_SOURCES } from '../../infra/sources/registry.ts'

/** Brings the tracked sources into the database: those of `data/sources.json`, and the cities that are fetched beyond them. */
export async function seedSources(sql: Sql): Promise<void> {
  const file = await readFile(projectFile('data', 'sources.json'), 'utf8')
  const tracked: SourceDescription[] = JSON.parse(file)
  const others = Object.values<OfficialSource>(OFFICIAL_SOURCES).flatMap(each => each.description ?? [])
  await storeSources(sql, [...tracked, ...others])
}
