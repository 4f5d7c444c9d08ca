import { liveAt, stateColumns } from '../postgres/dataVersion.ts'
import type { Sql } from '../postgres/sql.ts'
import type { Read } from './versionedCache.ts'

const MOST_WORDS = 50_000

/** The words of letters in the titles of live lots, in lower case, the most frequent first. */
export async function readTitleVocabulary(sql: Sql, now: Date | null): Promise<Read<string[]>> {
  const [read] = await sql<Read<string>[]>`
    with pieces as materialized (
      select piece, count(*) as lots
      from lots l, string_to_table(lower(l.title), ' ') as piece
      where ${liveAt(sql, now)}
      group by piece
    )
    select ${stateColumns(sql, now)}, coalesce(string_agg(word, ' ' order by lots desc, word), '') as value
    from (
      select word, sum(lots) as lots
      from pieces, rtrim(piece, ',.:;)') as word
      where word ~ '^[a-z]{4,24}$'
      group by word
      order by lots desc, word
      limit ${MOST_WORDS}
    ) as words`
  return { ...read!, until_ms: Number.POSITIVE_INFINITY, value: read!.value.split(' ') }
}
