import type { Request, Router } from 'express'
import { ApiError } from '../../contract/errors.ts'
import type { Caller } from '../../domain/caller.ts'
import { callOf, queryOf } from '../../http/call.ts'
import { createRouter } from '../../infra/createRouter.ts'
import { readLotRevisions } from '../../infra/search/changes.ts'
import { showFrontPage } from '../../site/frontPage.ts'
import { type Neighbor, readNeighbors } from '../../site/neighbors.ts'
import { showListing, showLot } from '../../site/showListing.ts'
import { readSimilarLots } from '../../site/similarLots.ts'
import type { SentSearch } from '../../usecases/searchLots.ts'
import { readCosts } from '../../usecases/valuation/costsOfBuyer.ts'
import { buyerOfVisitor, keepForVisitor } from '../kit/buyer.ts'
import { html } from '../kit/html.ts'
import { noLots } from '../kit/noLots.ts'
import { sendPage, sendText, viewerOf } from '../kit/sendPage.ts'
import { OF_SEARCH_PAGE, pathWith, type Sent, type Site } from '../kit/site.ts'
import { calendarOfEnd } from './calendar.ts'
import { pathOf } from './cards.ts'
import { frontPage } from './frontPage.ts'
import { listingPage } from './listing.ts'
import { meantBy, pricesAsked } from './readForm.ts'
import { groupingOf, readResults } from './results.ts'
import { LAST_PAGE, searchPage, searchRefusedPage } from './search.ts'

/** The pages that show lots. */
export function lotRoutes(reads: Site): Router {
  const { deps, readSearch, limit, now } = reads
  const router = createRouter()

  router.get('/', limit, async (req, res) => {
    // The front page also works without lots.
    const shown = await showFrontPage(deps, callOf(res).caller).catch(
      () => null,
    )
    const empty = shown?.overview.live === 0 ? await noLots(deps) : null
    await sendPage(req, res, frontPage(shown, empty, deps, now()))
  })

  router.get('/search', limit, async (req, res) => {
    const search = readSearch(req.url, OF_SEARCH_PAGE)
    const prices = pricesAsked(search.sent)
    if (prices) return void res.redirect(302, prices)
    // Browsers also send the empty fields of a form; the address without them
    // is the one to share.
    const isForm = /[?&][^=&]*=?(&|$)/.test(req.url)
    const changes = correctionsOf(search.sent)
    if (isForm || Object.keys(changes).length > 0)
      return void res.redirect(
        isForm ? 303 : 302,
        pathWith('/search', search.sent, changes),
      )
    await sendPage(
      req,
      res,
      await pageOfSearch(reads, search, req, callOf(res).caller),
    )
  })

  router.get('/listings/:slug/end.ics', limit, async (req, res) => {
    const { listing } = await showLot(
      deps,
      String(req.params.slug),
      callOf(res).caller,
    )
    res.attachment('end.ics')
    const { caller } = callOf(res)
    const revisions = await deps.reads.read(caller, context =>
      readLotRevisions(context, [listing.id]),
    )
    sendText(res, 'text/calendar', calendarOfEnd(listing, revisions))
  })

  router.get('/listings/:slug', limit, async (req, res) => {
    const { caller } = callOf(res)
    const shown = await showListing(deps, String(req.params.slug), caller)
    const [similar, trail] = await Promise.all([
      readSimilarLots(deps, shown.listing, caller),
      searchTrail(reads, queryOf(req).get('from'), shown.listing.id, caller),
    ])
    const viewer = await viewerOf(req)
    const buyer = buyerOfVisitor(req, viewer)
    keepForVisitor(res, buyer)
    const costs =
      buyer && (await readCosts(deps, buyer, shown.listing.id, caller))
    const around = {
      similar,
      trail,
      viewer,
      costs,
      contactEmail: deps.contactEmail,
    }
    await sendPage(req, res, listingPage(shown, around, deps.publicUrl, now()))
  })
  return router
}

async function pageOfSearch(
  reads: Site,
  search: SentSearch,
  req: Request,
  caller: Caller,
) {
  try {
    return searchPage(await readResults(reads, search, caller))
  } catch (error) {
    const isRefusal =
      error instanceof ApiError && error.code === 'invalid_request'
    if (!isRefusal || req.accepts(['json', 'html']) !== 'html') throw error
    return searchRefusedPage(search.sent, error, await reads.sources())
  }
}

/**
 * The parameters to correct: what a person means, a page outside of those that
 * the contract allows, and ranges that are upside down.
 */
function correctionsOf(sent: Sent): Record<string, string | null> {
  // A parameter that is sent twice is refused.
  if (new Set(sent.map(([name]) => name)).size < sent.length) return {}
  const meant = meantBy(sent)
  const { page = '', ...filters } = { ...Object.fromEntries(sent), ...meant }
  const number = /^-?\d+$/.test(page ?? '') ? Number(page) : 1
  const turned = ['price', 'vehicle_year'].flatMap(range => {
    const [min, max] = [`${range}_min`, `${range}_max`]
    const [least, most] = [filters[min], filters[max]]
    return Number(least) > Number(most) ? [{ [min]: most!, [max]: least! }] : []
  })
  return {
    ...meant,
    ...(number < 1 && { page: null }),
    ...(number > LAST_PAGE && { page: String(LAST_PAGE) }),
    ...Object.assign({}, ...turned),
  }
}

/**
 * The way back to the search that a lot was opened from, and to the lots before
 * and after it.
 * @param from the query of the search. Null without one, and for one that is
 * invalid.
 * @param id of the lot.
 */
async function searchTrail(
  { deps, readSearch }: Site,
  from: string | null,
  id: string,
  caller: Caller,
) {
  if (from === null) return null
  try {
    const search = readSearch(`/search?${from}`, OF_SEARCH_PAGE)
    const input = search.input(groupingOf(search.sent))
    const { previous, next } = await readNeighbors(deps, input, id, caller)
    const page = input.page === 1 ? null : String(input.page)
    return html`<nav class="pages" aria-label="The search">
${link(previous, search.sent, 'prev', 'Previous')}
<a href="${pathWith('/search', search.sent, { page })}">Results</a>
${link(next, search.sent, 'next', 'Next')}
</nav>`
  } catch {
    return null
  }
}

function link(to: Neighbor | null, sent: Sent, rel: string, words: string) {
  if (!to) return null
  const there: Sent = [
    ...sent.filter(([name]) => name !== 'page'),
    ['page', String(to.page)],
  ]
  return html`<a rel="${rel}" href="${pathOf(to.lot, there)}">${words}</a>`
}
