import type { Caller } from '../domain/caller.ts'
import { findLiveSlugs, type LiveSlug } from '../infra/listings/siteReads.ts'
import type { Deps } from './deps.ts'

/** The most entries in one file of a sitemap (https://www.sitemaps.org/protocol.html). */
const LARGEST_PART = 50_000

/** The live lots of one part of the sitemap. @param digit the first hexadecimal digit of their ids. */
export async function listLiveSlugs({ reads }: Deps, digit: string, caller: Caller): Promise<LiveSlug[]> {
  return reads.read(caller, ({ sql, now }) => findLiveSlugs(sql, now, digit, LARGEST_PART))
}
