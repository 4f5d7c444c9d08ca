import type { Request } from 'express'
import { RawJson } from '../contract/rawJson.ts'
import type { OperationId, Schemas } from '../contract/types.ts'

const CC_BY_4 = 'https://creativecommons.org/licenses/by/4.0/'
const LAST_ASKABLE_PAGE = 200
/** All in one header, of which the contract promises at most 8,000; one address with a long query has up to 3,400. */
const LONGEST_PAGE_LINKS = 7_500

/** The addresses of a 200 (RFC 8288): terms on all data, the license on aggregates, the pages around a page. */
export function linksOf(publicUrl: string, req: Request, operationId: OperationId, body: unknown): string[] {
  const links = [link(`${publicUrl}/terms`, 'terms-of-service')]
  if (operationId === 'getComps') links.push(link(CC_BY_4, 'license'))
  if (body instanceof RawJson && body.place) links.push(...pageLinks(publicUrl, req, body.place))
  return links
}

function pageLinks(
  publicUrl: string,
  req: Request,
  { page, total_pages }: Pick<Schemas['ListingPage'], 'page' | 'total_pages'>,
): string[] {
  const last = Math.min(total_pages, LAST_ASKABLE_PAGE)
  const pages: [string, number][] = [['first', 1]]
  if (page > 1) pages.push(['prev', Math.min(page - 1, Math.max(1, last))])
  if (page < last) pages.push(['next', page + 1])
  pages.push(['last', Math.max(1, last)])
  const links = linksTo(pages)
  if (links.join().length <= LONGEST_PAGE_LINKS) return links
  return linksTo(pages.filter(([relation]) => relation === 'prev' || relation === 'next'))

  function linksTo(chosen: [string, number][]): string[] {
    return chosen.map(([relation, number]) => link(addressOfPage(publicUrl, req, number), relation))
  }
}

/** The same request for another page; the query is written anew, so that nothing of it can break out of the header. */
function addressOfPage(publicUrl: string, req: Request, page: number): string {
  const start = req.url.indexOf('?')
  const query = new URLSearchParams(start < 0 ? '' : req.url.slice(start + 1))
  query.set('page', String(page))
  return `${publicUrl}${req.path}?${query}`
}

function link(address: string, relation: string): string {
  return `<${address}>; rel="${relation}"`
}
