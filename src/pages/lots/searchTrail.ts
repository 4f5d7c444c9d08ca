import type { Caller } from '../../domain/caller.ts'
import { type Neighbor, readNeighbors } from '../../usecases/site/neighbors.ts'
import { type Html, html } from '../kit/html.ts'
import { pathWith, type Sent, type Site } from '../kit/site.ts'
import { pathOf } from './cards.ts'

/**
 * The way back to the search that a lot was opened from, and to the lots before and after it.
 * @param from the query of the search. Null without one, and for one that is invalid.
 * @param id of the lot.
 */
export async function searchTrail(
  { deps, readSearch }: Site,
  from: string | null,
  id: string,
  caller: Caller,
): Promise<Html | null> {
  if (from === null) return null
  try {
    const search = readSearch(`/search?${from}`)
    const input = search.input()
    const { previous, next } = await readNeighbors(deps, input, id, caller)
    const page = input.page === 1 ? null : String(input.page)
    return html`<nav class="pages" aria-label="The search">
${link(previous, search.sent, 'prev', 'Previous lot')}
<a href="${pathWith('/search', search.sent, { page })}">Back to the results</a>
${link(next, search.sent, 'next', 'Next lot')}
</nav>`
  } catch {
    return null
  }
}

function link(to: Neighbor | null, sent: Sent, rel: string, words: string): Html | null {
  return to && html`<a rel="${rel}" href="${pathOf(to.lot, withPage(sent, to.page))}">${words}</a>`
}

function withPage(sent: Sent, page: number): Sent {
  return [...sent.filter(([name]) => name !== 'page'), ['page', String(page)]]
}
