import type { Caller } from '../domain/caller.ts'
import { ApiError } from '../domain/errors.ts'
import { findLotsAt } from '../infra/listings/byId.ts'
import type { Deps } from './deps.ts'

const TITLE_SHOWN = 60
const LOTS_SHOWN = 5

/**
 * The id or slug of a lot that is named by id, slug, its page on this service or its official page. A page that several lots
 * share stands for the one that is open, if there is only one.
 * @throws ApiError invalid_request when a page belongs to several lots, with their ids; not_found when to none.
 */
export async function lotOfLink({ reads, publicUrl }: Deps, named: string, caller: Caller): Promise<string> {
  const address = named.trim()
  if (!/^https?:\/\//i.test(address) || !URL.canParse(address)) return address
  const { host, pathname } = new URL(address)
  const slug = /^\/listings\/([^/]+)\/?$/.exec(pathname)?.[1]
  if (slug && host === new URL(publicUrl).host) return slug
  const lots = await reads.read(caller, ({ sql }) => findLotsAt(sql, address, LOTS_SHOWN + 1))
  const open = lots.filter(({ is_open }) => is_open)
  const [only, another] = open.length === 1 ? open : lots
  if (!only) {
    throw new ApiError('not_found', 'No listing has this source_url or bidprowl_url.')
  }
  if (!another) return only.id
  const shown = lots.slice(0, LOTS_SHOWN).map(({ id, title }) => `${id} (${title.slice(0, TITLE_SHOWN)})`)
  const more = lots.length > LOTS_SHOWN ? ' and others' : ''
  throw new ApiError(
    'invalid_request',
    `Several listings share this page: ${shown.join('; ')}${more}. Send the id of one.`,
  )
}
