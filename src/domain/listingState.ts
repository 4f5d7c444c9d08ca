import type { Listing } from '../contract/types.ts'

/** Whether nobody can bid on a lot any more. */
export function isOver({ status }: Pick<Listing, 'status'>): boolean {
  return status !== 'live' && status !== 'upcoming'
}

/** A demo lot leads to itself. */
export function isDemo({
  source_url,
  bidprowl_url,
}: Pick<Listing, 'source_url' | 'bidprowl_url'>): boolean {
  return source_url === bidprowl_url
}
