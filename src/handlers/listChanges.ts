import { type QueryLink, RawJson } from '../contract/rawJson.ts'
import type { Input, Ok } from '../contract/types.ts'
import type { Caller } from '../domain/caller.ts'
import { type ApiError, invalidRequest } from '../domain/errors.ts'
import { findChanges, MOST_LOOKED_AT } from '../infra/listings/changes.ts'
import type { Deps } from '../usecases/deps.ts'

/**
 * The changes after a cursor, oldest first, each with its lot, as JSON that PostgreSQL wrote. A cursor is the number of the last
 * change that was looked at. A replica that answers is as new as the primary was, so it knows each cursor that any answer gave.
 * @throws ApiError invalid_request for a cursor whose next changes were dropped, or that no answer gave.
 */
export async function listChanges(
  { reads, publicUrl }: Deps,
  { cursor, per_page, ...sent }: Input<'listChanges'>,
  caller: Caller,
): Promise<RawJson<Ok<'listChanges'>>> {
  const filter = {
    kind: sent.kind ?? null,
    category: sent.category ?? null,
    state: sent.state?.toUpperCase() ?? null,
    source: sent.source ?? null,
  }
  const { text, start, is_next_kept, last_change, found, last_found, ...validity } = await reads.read(
    caller,
    context => findChanges({ ...context, publicUrl }, cursor ?? null, filter, per_page),
  )
  if (start > last_change) throw refusal(`"cursor": no answer has given ${cursor}.`)
  if (start < last_change && !is_next_kept)
    throw refusal(`"cursor": the changes after ${cursor} are no longer kept.`)
  const next = found === per_page ? last_found! : Math.min(start + MOST_LOOKED_AT, last_change)
  const more = next < last_change
  const next_cursor = String(next)
  const rest = JSON.stringify({ next_cursor, more })
  const links: QueryLink[] = more ? [{ relation: 'next', query: { cursor: next_cursor } }] : []
  return new RawJson(`{"data":${text},${rest.slice(1)}`, validity, links)
}

function refusal(reason: string): ApiError {
  return invalidRequest(
    `${reason} Resync: call with cursor=latest, save next_cursor, read the listings once, then continue from it.`,
  )
}
