import type { Schemas } from '../../contract/types.ts'
import type { Circle } from '../../domain/search/listingFilter.ts'
import { listingColumns, lotsOfSources, pageText } from '../listings/columns.ts'
import type { ListingContext } from '../listings/listings.ts'
import { liveAt } from '../liveAt.ts'
import type { Sql } from '../postgres/database.ts'
import { type OfferState, offerColumns, stateColumns } from '../postgres/dataVersion.ts'

/** Lots that were asked for by their ids. */
export interface NamedListings extends OfferState {
  /** How many of them are live. */
  live: number
  text: string
}

/** The live ones of these lots, in this order, as a page has them. @param columns those of a file of CSV; null asks for JSON. */
export async function readListings(
  context: ListingContext,
  ids: string[],
  { center, columns }: { center: Circle | null; columns: string[] | null },
): Promise<NamedListings> {
  const { sql, now } = context
  const [read] = await sql<NamedListings[]>`
    select
      ${stateColumns(sql, now)},
      ${offerColumns(sql)},
      count(page) as live,
      ${pageText(sql, columns)} as text
    from (
      select ${listingColumns(context, center)}
      from json_array_elements_text(${JSON.stringify(ids)}::text::json) with ordinality as asked (id, place)
      join ${lotsOfSources(sql)} as l on l.id = asked.id::uuid
      where ${liveAt(sql, now)}
      order by asked.place
    ) as page`
  return read!
}

/** The ids, sixteen bytes each, of the open lots that have these words. */
export async function findWords(
  { sql }: ListingContext,
  words: string,
): Promise<{ offers: number; ids: Buffer }> {
  const [found] = await sql<{ offers: number; ids: Buffer }[]>`
    select
      (select offers from data_version) as offers,
      coalesce(string_agg(uuid_send(l.id), ''::bytea), ''::bytea) as ids
    from lots l
    where l.is_open
    and l.search @@ websearch_to_tsquery('english', ${words})`
  return found!
}

/** Whether so many lots are open, or more, as far as PostgreSQL has noted when it last looked: no lot is read for it. */
export async function hasOpenLots(sql: Sql, least: number): Promise<boolean> {
  const [noted] = await sql<{ lots: number }[]>`
    select reltuples as lots
    from pg_class
    where oid = to_regclass('open_lots_by_end')`
  return noted !== undefined && noted.lots >= least
}

/** The sources, by key, without their lots. */
export async function readSources({
  sql,
  now,
}: ListingContext): Promise<OfferState & { sources: Omit<Schemas['Source'], 'live_count'>[] }> {
  const [read] = await sql<(OfferState & { sources: Omit<Schemas['Source'], 'live_count'>[] })[]>`
    select
      ${stateColumns(sql, now)},
      ${offerColumns(sql)},
      (
        select coalesce(json_agg(tracked), '[]')
        from (
          select s.source, s.name, rfc3339(s.last_success_at) as last_success_at
          from sources s
          order by s.source
        ) as tracked
      ) as sources`
  return read!
}
