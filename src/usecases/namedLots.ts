import { invalidRequest, notFound } from '../contract/errors.ts'
import { printable } from '../contract/text.ts'
import type { ListingDetail, Schemas } from '../contract/types.ts'
import { UUID } from '../domain/accounts/formFields.ts'
import type { Caller } from '../domain/caller.ts'
import {
  findListingWithBids,
  findLotsAt,
  findNamedListings,
} from '../infra/search/byId.ts'
import type { LotKey } from '../infra/search/columns.ts'
import type { Deps } from './deps.ts'

const SLUG = /^[a-z0-9]+(-[a-z0-9]+)*$/
const LONGEST_SLUG = 1_000
const SHOWN = 80
const TITLE_SHOWN = 60
const LOTS_SHOWN = 5

/**
 * The comma between two names of lots; the links of some sources hold commas.
 */
export const BETWEEN_NAMES = /,(?=\s*(?:https?:|[^\s,/]*\s*(?:,|$)))/i

/**
 * What `read` finds of the lot with this id or slug.
 * @throws ApiError not_found where there is no such lot.
 */
export async function lotNamed<T>(
  idOrSlug: string,
  read: (by: LotKey) => Promise<T | null>,
): Promise<T> {
  const by = lotKeyOf(idOrSlug)
  const found = by && (await read(by))
  if (!found)
    throw notFound(
      `No listing has the id or slug "${printable(idOrSlug, SHOWN)}".`,
      {
        isUnknownLot: true,
      },
    )
  return found
}

/**
 * Lots by ids and slugs, in any state of their life.
 * @returns `texts`: each lot once, as JSON, in the order named; `missing`: the
 * names without a lot.
 */
export async function readNamedLots(
  { reads }: Deps,
  named: string[],
  caller: Caller,
): Promise<{ texts: string[]; missing: string[] }> {
  const keys = named.map(name => lotKeyOf(name.trim()) ?? {})
  const found = await reads.read(caller, context =>
    findNamedListings(context, keys),
  )
  return {
    texts: [...new Set(found.flatMap(({ value }) => value ?? []))],
    missing: named.filter((_, index) => found[index]!.value === null),
  }
}

/**
 * A lot with its observed bids, oldest first, and its sale, null while there is
 * none, from one statement.
 */
export interface ListingWithBids extends ListingDetail {
  bids: Schemas['Bid'][]
  /**
   * The price in US cents, what it includes (see Comps in the contract), and
   * when the auction ended.
   */
  sale: { final_bid_cents: number; price_basis: string; sold_at: string } | null
}

/**
 * A lot with its observed bids, and the database clock at the read, in
 * milliseconds since 1970.
 * @throws ApiError not_found.
 */
export async function readListingWithBids(
  { reads }: Deps,
  idOrSlug: string,
  caller: Caller,
): Promise<{ value: ListingWithBids; now_ms: number }> {
  const { now_ms, value } = await lotNamed(idOrSlug, by =>
    reads.read(caller, context => findListingWithBids(context, by)),
  )
  return { now_ms, value: JSON.parse(value) }
}

function lotKeyOf(idOrSlug: string): LotKey | null {
  if (UUID.test(idOrSlug.toLowerCase())) return { id: idOrSlug }
  if (idOrSlug.length <= LONGEST_SLUG && SLUG.test(idOrSlug))
    return { slug: idOrSlug }
  return null
}

/**
 * The id or slug of a lot that is named by id, slug, its page on this service
 * or its official page. A page that several lots share stands for the one that
 * is open, if there is only one.
 * @throws ApiError invalid_request when a page belongs to several lots, with
 * their ids; not_found when to none.
 */
export async function lotOfLink(
  { reads, publicUrl }: Deps,
  named: string,
  caller: Caller,
): Promise<string> {
  const url = named.trim()
  if (!/^https?:\/\//i.test(url) || !URL.canParse(url)) return url
  const { host, pathname } = new URL(url)
  const slug = /^\/listings\/([^/]+)\/?$/.exec(pathname)?.[1]
  if (slug && host === new URL(publicUrl).host) return slug
  const lots = await reads.read(caller, context =>
    findLotsAt(context, url, LOTS_SHOWN + 1),
  )
  const open = lots.filter(({ is_open }) => is_open)
  const [only, another] = open.length === 1 ? open : lots
  if (!only)
    throw notFound('No listing has this source_url or bidprowl_url.', {
      isUnknownLot: true,
    })
  if (!another) return only.id
  const shown = lots
    .slice(0, LOTS_SHOWN)
    .map(({ id, title }) => `${id} (${title.slice(0, TITLE_SHOWN)})`)
  const more = lots.length > LOTS_SHOWN ? ' and others' : ''
  throw invalidRequest(
    `Several listings share this page: ${shown.join('; ')}${more}. Send the id of one.`,
  )
}
