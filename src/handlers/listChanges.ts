import { invalidRequest } from '../contract/errors.ts'
import { type QueryLink, RawJson } from '../contract/rawJson.ts'
import type { Input, Ok } from '../contract/types.ts'
import type { Caller } from '../domain/caller.ts'
import { findChanges } from '../infra/search/changes.ts'
import type { Deps } from '../usecases/deps.ts'

/**
 * The changes after a cursor, oldest first, each with its lot, as JSON that
 * PostgreSQL wrote. A cursor stands after the last change that was looked at.
 * @throws ApiError invalid_request for a cursor whose changes were dropped,
 * that no answer gave, or that another history of the database gave.
 */
export async function listChanges(
  { reads }: Deps,
  { cursor, per_page, ...sent }: Input<'listChanges'>,
  caller: Caller,
): Promise<RawJson<Ok<'listChanges'>>> {
  const filter = {
    kind: sent.kind ?? null,
    category: sent.category ?? null,
    state: sent.state?.toUpperCase() ?? null,
    source: sent.source ?? null,
  }
  const {
    text,
    start,
    start_cursor,
    is_next_kept,
    last_change,
    next,
    next_cursor,
  } = await reads.read(caller, context =>
    findChanges(context, cursor ?? null, filter, per_page),
  )
  if (start > last_change)
    throw refusal(`"cursor": no answer has given ${cursor}.`)
  if (start < last_change && !is_next_kept)
    throw refusal(`"cursor": the changes after ${cursor} are no longer kept.`)
  if (cursor !== undefined && cursor !== 'latest' && cursor !== start_cursor)
    throw refusal(
      `"cursor": the change that ${cursor} names is no longer kept or was replaced by a restore.`,
    )
  const more = next < last_change
  const rest = JSON.stringify({ next_cursor, more })
  const links: QueryLink[] = more
    ? [{ relation: 'next', query: { cursor: next_cursor } }]
    : []
  return new RawJson(`{"data":${text},${rest.slice(1)}`, links)
}

function refusal(reason: string) {
  return invalidRequest(
    `${reason} Resync: call with cursor=latest, save next_cursor, read the listings once, then continue from it.`,
  )
}
