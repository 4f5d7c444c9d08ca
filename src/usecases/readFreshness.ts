import { readLastSuccess } from '../infra/ingestion/sources.ts'
import type { Deps } from './deps.ts'

/** When each source that was ever loaded whole was, in seconds since 1970. */
export async function readFreshness({
  primary,
}: Deps): Promise<{ source: string; last_success_seconds: number }[]> {
  return primary(sql => readLastSuccess(sql))
}
