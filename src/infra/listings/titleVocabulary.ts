import { liveAt, stateColumns } from '../postgres/dataVersion.ts'
import type { Sql } from '../postgres/sql.ts'
import type { Read } from './versionedCache.ts'

const MOST_WORDS = 50_000

/** The words of letters in the titles of live lots, in lower case, the most frequent first. */
export async function readTitleVocabulary(sql: Sql, now: Date | null): Promise<Read<string[]>> {
  const [read] = await sql<Read<string>[]>`
    select ${stateColumns(sql, now)}, coalesce(string_agg(word, ' ' order by lots desc, word), '') as value
    from (
      select word, count(*) as lots
      from lots l, string_to_table(regexp_replace(lower(l.title), '[^a-z]+', ' ', 'g'), ' ') as word
      where ${liveAt(sql, now)}
      and length(word) between 4 and 24
      group by word
      order by lots desc, word
      limit ${MOST_WORDS}
    ) as words`
  return { ...read!, until_ms: Number.POSITIVE_INFINITY, value: read!.value.split(' ') }
}
