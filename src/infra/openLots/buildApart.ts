import { columnsApart } from '../apart/columnsApart.ts'
import type { BuiltIndex } from './builtIndex.ts'

/**
 * Builds an index beside this process (270 MB for 1,000,000 lots).
 * @param makeRoom is called when it is built, before memory is taken for it here.
 * @throws Error with what was said, when it failed.
 */
export async function buildApart(
  databaseUrl: string,
  now: Date | null,
  signal: AbortSignal,
  makeRoom: () => void,
): Promise<BuiltIndex> {
  const env = { INDEX_DATABASE_URL: databaseUrl, INDEX_NOW: now?.toISOString() ?? '' }
  const program = new URL('../searchIndex/indexProcess', import.meta.url)
  return (await columnsApart(program, { env, signal, onBegin: makeRoom })) as BuiltIndex
}
